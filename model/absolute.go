package model

import "github.com/hearsay-dp/hearsay/internal/math"

// Absolute is the absolute error |x'theta - y|, whose minimum follows medians instead of
// means, its corner rounded: r^2/(2 c) up to |r| = c = 2^-10 and |r| - c/2 beyond. With
// Intercept the last parameter is the intercept.
//
// For norm(x) <= B it is convex and B-Lipschitz. Its smoothness is too large to be of use.
type Absolute struct{ Intercept bool }

// Name returns "absolute".
func (Absolute) Name() string { return "absolute" }

// Params returns the number of features, plus one for the intercept.
func (a Absolute) Params(features int) int { return linearParams(features, a.Intercept) }

// Loss returns the loss of one example.
func (a Absolute) Loss(theta, x []float64, y float64) float64 {
	return a.Clipped(theta, x, y, math.Inf(1))
}

// Clipped goes on with the slope that the clip allows.
func (a Absolute) Clipped(theta, x []float64, y, clip float64) float64 {
	return rounded(math.Abs(margin(theta, x)-y), 1/corner, min(1, clip/RowNorm(x, a.Intercept)))
}

// Gradient sets dst to the slope times (x, 1).
func (a Absolute) Gradient(dst, theta, x []float64, y float64) { scale(dst, a.Slope(theta, x, y), x) }

// Slope returns a slope between -1 and 1.
func (a Absolute) Slope(theta, x []float64, y float64) float64 {
	slope, _ := a.Bend(margin(theta, x), y)
	return slope
}

// Bend implements Margined.
func (Absolute) Bend(z, y float64) (slope, curvature float64) {
	return bent((z-y)/corner, 1/corner, 1)
}

// Slopes returns -1 and 1.
func (Absolute) Slopes(float64) (low, high float64) { return -1, 1 }

// Classes returns 0, because the model predicts numbers.
func (Absolute) Classes() int { return 0 }

// Outputs sets dst to the prediction.
func (Absolute) Outputs(dst, theta, x []float64) { dst[0] = margin(theta, x) }

// Correct returns false, because the model predicts numbers, not classes.
func (Absolute) Correct(_, _ []float64, _ float64) bool { return false }

// Guarantees returns the guarantees for norm(x) <= bound.
func (a Absolute) Guarantees(bound float64) Guarantees {
	b := extended(bound, a.Intercept)
	return Guarantees{loss: a.Name(), bound: b, convex: true, clipSafe: true, smoothness: math.Inf(1), lipschitz: b, bend: b * b / corner}
}
