// Package model holds the objectives that nodes minimise: per-example losses
// and gradients, and the guarantees of each (convexity, smoothness, Lipschitz
// constant), which privacy and convergence theorems require.
package model

// A Model is a per-example loss of parameters theta on one example (x, y).
// It is a value: safe for concurrent use.
type Model interface {
	// Name as in a spec: "logistic", "ridge", "mean".
	Name() string
	// Params returns the length of theta for examples with that many features.
	Params(features int) int
	// Loss of one example.
	Loss(theta, x []float64, y float64) float64
	// Gradient sets dst to the gradient of Loss in theta.
	Gradient(dst, theta, x []float64, y float64)
	// Clipped returns the function of theta whose gradient is that of Loss clipped to
	// norm clip > 0: Loss where its gradient is at most clip, and beyond that
	// convex and growing by clip a unit of distance.
	Clipped(theta, x []float64, y, clip float64) float64
	// Correct reports whether theta's prediction for x agrees with y; models
	// that do not classify return false (see Guarantees).
	Correct(theta, x []float64, y float64) bool
	// Guarantees holds for all examples whose features have norm <= bound. A model
	// of another package makes them with Assert.
	Guarantees(bound float64) Guarantees
}

// Examples is a borrowed block of examples: row i is X[i*Features:(i+1)*Features], Y[i].
type Examples struct {
	Features int
	X, Y     []float64
	Norms    []float64 // see Norms; nil: not computed yet
}

// Len returns the number of examples.
func (e Examples) Len() int { return len(e.Y) }

// Row returns example i, borrowed.
func (e Examples) Row(i int) (x []float64, y float64) {
	return e.X[i*e.Features : (i+1)*e.Features], e.Y[i]
}

// Slice returns the examples from lo to below hi, borrowed.
func (e Examples) Slice(lo, hi int) Examples {
	part := Examples{Features: e.Features, X: e.X[lo*e.Features : hi*e.Features], Y: e.Y[lo:hi]}
	if e.Norms != nil {
		part.Norms = e.Norms[lo:hi]
	}
	return part
}

// A Predictor predicts a margin, the label itself, or
// an output for each class.
type Predictor interface {
	Model
	// Classes returns the number of classes, 0 for a model that predicts numbers. Two classes can have one
	// output, a margin that is at least 0 for the second, or one each.
	Classes() int
	// Outputs sets dst, whose length is the number of outputs, to the outputs for x.
	Outputs(dst, theta, x []float64)
}
