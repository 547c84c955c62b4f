package model

import "github.com/hearsay-dp/hearsay/internal/math"

// A dense model is layers with a loss on top. Multinomial and Network are.
type dense struct {
	hidden    []int
	head      head
	intercept bool
}

func (d dense) layers(features int) layers {
	return layersOf(features, d.hidden, d.head.outputs(), d.intercept)
}

// Params returns the number of weights and constants of all layers.
func (d dense) Params(features int) int { return d.layers(features).params() }

// Loss returns the loss of one example.
func (d dense) Loss(theta, x []float64, y float64) float64 {
	_, z := d.layers(len(x)).forward(theta, x)
	return d.head.loss(z, y)
}

// Gradient sets dst to the gradient of Loss, by the obvious loop; a Batch is faster.
func (d dense) Gradient(dst, theta, x []float64, y float64) {
	l := d.layers(len(x))
	inputs, z := l.forward(theta, x)
	d.head.slope(z, y)
	l.backward(dst, theta, inputs, z)
}

// Outputs sets dst to the outputs of the last layer for x: a number for each class,
// or one that is the predicted label.
func (d dense) Outputs(dst, theta, x []float64) {
	_, z := d.layers(len(x)).forward(theta, x)
	copy(dst, z)
}

// Classes returns the number of classes. It returns 0 if the model predicts numbers.
func (d dense) Classes() int { return d.head.classes }

// Layers returns the widths of the input, of the hidden layers and of the output.
func (d dense) Layers(features int) []int { return d.layers(features).widths }

// Correct reports whether the largest output is that of y's class; the first wins
// a tie.
func (d dense) Correct(theta, x []float64, y float64) bool {
	if d.head.classes == 0 {
		return false
	}
	_, z := d.layers(len(x)).forward(theta, x)
	return Largest(z) == ClassOf(y, d.head.classes)
}

// Clipped returns Loss where its gradient is at most clip. Beyond, it returns NaN: a
// clipped gradient of several outputs need not be the gradient of any function.
func (d dense) Clipped(theta, x []float64, y, clip float64) float64 {
	g := make([]float64, len(theta))
	d.Gradient(g, theta, x, y)
	if RowNorm(g, false) > clip {
		return math.NaN()
	}
	return d.Loss(theta, x, y)
}
