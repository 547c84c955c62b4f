package model

import (
	"math/rand/v2"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// Picture is the shape of examples that are pictures: planes one after the other, each row by row.
type Picture struct{ Planes, Rows, Columns int }

// Pixels returns the number of all numbers of a picture.
func (p Picture) Pixels() int { return p.Planes * p.Rows * p.Columns }

// ConvNet is a small convolutional network (002, Table A.2). Two convolutions keep the size of pictures, with zeros
// around them. Each is followed by a rectifier and by the largest of every two by two numbers (a last odd row or column is
// left out). A hidden layer with a rectifier follows, and the cross entropy of outputs, one a class.
// Table A.2 has 32 and 64 maps, kernels that keep sizes, 1024 hidden units and 10 classes; its 4096 inputs of the hidden
// layer are those of pictures of 32 by 32.
//
// Parameters are those of the four layers in turn, each a row of weights for every unit or map and then their constants.
//
// Like Network it guarantees nothing beyond the effect of clipping.
type ConvNet struct {
	picture       Picture
	kernel        int // side of the kernels, odd
	first, second int // maps of the convolutions
	hidden        int
	head          head
}

// Convolution holds the sizes of a ConvNet besides its classes.
type Convolution struct {
	Picture Picture
	Kernel  int    // odd
	Maps    [2]int // of the two convolutions
	Hidden  int    // units
}

// Fits reports whether there is such a network.
func (c Convolution) Fits() bool {
	p := c.Picture
	return p.Planes > 0 && p.Rows >= 4 && p.Columns >= 4 && c.Kernel > 0 && c.Kernel%2 == 1 && c.Maps[0] > 0 && c.Maps[1] > 0 && c.Hidden > 0
}

// NewConvNet returns a network for that many classes. It panics unless there are at least two, c fits, and weights are nil or one a class.
func NewConvNet(c Convolution, classes int, weights []float64) ConvNet {
	if !c.Fits() || classes < 2 || weights != nil && len(weights) != classes {
		panic("model: a convolutional network of pictures under 4 by 4, without layers, for less than two classes, or with other weights")
	}
	return ConvNet{c.Picture, c.Kernel, c.Maps[0], c.Maps[1], c.Hidden, head{classes, weights}}
}

// Name returns "convnet".
func (ConvNet) Name() string { return "convnet" }

// Picture returns the shape of the network's examples.
func (c ConvNet) Picture() Picture { return c.picture }

// Classes returns the number of classes.
func (c ConvNet) Classes() int { return c.head.classes }

// shapes returns the shapes of pictures, and of maps after the first pooling and after the second.
func (c ConvNet) shapes() (p, p1, p2 Picture) {
	p = c.picture
	p1 = Picture{c.first, p.Rows / 2, p.Columns / 2}
	return p, p1, Picture{c.second, p1.Rows / 2, p1.Columns / 2}
}

// Features returns the number of inputs of the hidden layer.
func (c ConvNet) Features() int { _, _, p2 := c.shapes(); return p2.Pixels() }

// sizes returns the numbers of weights and of constants, layer by layer.
func (c ConvNet) sizes() [8]int {
	k := c.kernel * c.kernel
	return [8]int{c.first * c.picture.Planes * k, c.first, c.second * c.first * k, c.second,
		c.hidden * c.Features(), c.hidden, c.head.classes * c.hidden, c.head.classes}
}

// Params returns the number of parameters.
func (c ConvNet) Params(int) (sum int) {
	for _, n := range c.sizes() {
		sum += n
	}
	return sum
}

// Parts splits parameters, or a gradient, by layer: weights and constants in turn, borrowed.
func (c ConvNet) Parts(theta []float64) (parts [8][]float64) {
	for i, n := range c.sizes() {
		parts[i], theta = theta[:n], theta[n:]
	}
	return parts
}

// Convolving returns the number of parameters of the convolutions, which come first.
func (c ConvNet) Convolving() int {
	s := c.sizes()
	return s[0] + s[1] + s[2] + s[3]
}

// Start draws parameters that everybody begins with: a layer's are uniform up to one over the root of its number of inputs.
func (c ConvNet) Start(_ int, _ float64, rng *rand.Rand) []float64 {
	theta, k := make([]float64, c.Params(0)), c.kernel*c.kernel
	parts := c.Parts(theta)
	for i, in := range []int{c.picture.Planes * k, c.first * k, c.Features(), c.hidden} {
		for _, part := range parts[2*i : 2*i+2] {
			for j := range part {
				part[j] = float64(float64(2*float64(rng.Float64()))-1) / math.Sqrt(float64(in))
			}
		}
	}
	return theta
}

// upper passes features through the hidden layer to the outputs.
func (c ConvNet) upper(parts *[8][]float64, features []float64) (h, z []float64) {
	h = affine(parts[4], parts[5], features)
	for i := range h {
		h[i] = max(0, h[i])
	}
	return h, affine(parts[6], parts[7], h)
}

func affine(weights, constants, x []float64) []float64 {
	out := make([]float64, len(constants))
	for j := range out {
		sum := constants[j]
		for i, w := range weights[j*len(x) : (j+1)*len(x)] {
			sum += float64(w * x[i])
		}
		out[j] = sum
	}
	return out
}

func (c ConvNet) outputs(theta, x []float64) []float64 {
	p := c.Parts(theta)
	_, z := c.upper(&p, c.Pass(theta, x).Features)
	return z
}

// Outputs sets dst to the outputs of the classes.
func (c ConvNet) Outputs(dst, theta, x []float64) { copy(dst, c.outputs(theta, x)) }

// Loss returns the loss of one picture.
func (c ConvNet) Loss(theta, x []float64, y float64) float64 {
	return c.head.loss(c.outputs(theta, x), y)
}

// Gradient sets dst to the gradient of Loss.
func (c ConvNet) Gradient(dst, theta, x []float64, y float64) { c.Slopes(dst, theta, x, y) }

// Slopes sets dst to the gradient of Loss in the parameters and returns that in the picture.
func (c ConvNet) Slopes(dst, theta, x []float64, y float64) []float64 {
	clear(dst)
	p, d := c.Parts(theta), c.Parts(dst)
	pass := c.Pass(theta, x)
	h, slope := c.upper(&p, pass.Features)
	c.head.slope(slope, y)
	slope = below(d[6], d[7], p[6], h, slope)
	for i, v := range h {
		if v <= 0 {
			slope[i] = 0
		}
	}
	slope = below(d[4], d[5], p[4], pass.Features, slope)
	return pass.Pull(dst[:c.Convolving()], slope)
}

// below adds to the derivatives of a layer and returns those of its inputs.
func below(dw, db, weights, x, slope []float64) []float64 {
	under := make([]float64, len(x))
	for j, s := range slope {
		db[j] += s
		if s == 0 {
			continue
		}
		w, d := weights[j*len(x):(j+1)*len(x)], dw[j*len(x):(j+1)*len(x)]
		for i, v := range x {
			d[i] += float64(s * v)
			under[i] += float64(s * w[i])
		}
	}
	return under
}

// Clipped returns Loss where its gradient is at most clip. Beyond, it returns NaN, because there is no such function.
func (c ConvNet) Clipped(theta, x []float64, y, clip float64) float64 {
	g := make([]float64, len(theta))
	if c.Gradient(g, theta, x, y); RowNorm(g, false) > clip {
		return math.NaN()
	}
	return c.Loss(theta, x, y)
}

// Correct reports whether the largest output is that of y's class; the first wins a tie.
func (c ConvNet) Correct(theta, x []float64, y float64) bool {
	return Largest(c.outputs(theta, x)) == ClassOf(y, c.head.classes)
}

// Guarantees states nothing but that the network classifies.
func (c ConvNet) Guarantees(bound float64) Guarantees {
	return Guarantees{loss: c.Name(), bound: bound, smoothness: math.Inf(1), lipschitz: math.Inf(1), classifies: true}
}
