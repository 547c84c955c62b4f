package model

import "github.com/hearsay-dp/hearsay/internal/math"

// Ridge is the squared loss (x'theta - y)^2 / 2; the L2 penalty that gives it
// its name is the Objective's. With Intercept the last parameter is the
// intercept.
//
// For norm(x) <= B it is convex and B^2-smooth, and has no Lipschitz constant:
// its gradients must be clipped.
type Ridge struct{ Intercept bool }

// Name returns "ridge".
func (Ridge) Name() string { return "ridge" }

// Params returns the number of features, plus one for the intercept.
func (r Ridge) Params(features int) int { return linearParams(features, r.Intercept) }

// Loss returns half the squared residual.
func (Ridge) Loss(theta, x []float64, y float64) float64 {
	residual := margin(theta, x) - y
	return residual * residual / 2
}

// Clipped returns Huber's function of the residual.
func (r Ridge) Clipped(theta, x []float64, y, clip float64) float64 {
	return huber(math.Abs(margin(theta, x)-y), clip/RowNorm(x, r.Intercept))
}

// huber returns r^2/2 up to r = c and goes on with slope c.
func huber(r, c float64) float64 {
	if r <= c {
		return r * r / 2
	}
	return c * (r - float64(c/2))
}

// Gradient sets dst to the residual times (x, 1).
func (r Ridge) Gradient(dst, theta, x []float64, y float64) { scale(dst, r.Slope(theta, x, y), x) }

// Slope returns the residual.
func (Ridge) Slope(theta, x []float64, y float64) float64 { return margin(theta, x) - y }

// Classes returns 0, because the model predicts numbers.
func (Ridge) Classes() int { return 0 }

// Outputs sets dst to the prediction.
func (Ridge) Outputs(dst, theta, x []float64) { dst[0] = margin(theta, x) }

// Correct returns false, because the model predicts numbers, not classes.
func (Ridge) Correct(_, _ []float64, _ float64) bool { return false }

// Guarantees returns the guarantees for norm(x) <= bound.
func (r Ridge) Guarantees(bound float64) Guarantees {
	b := extended(bound, r.Intercept)
	return Guarantees{loss: r.Name(), bound: b, convex: true, clipSafe: true, smoothness: b * b, lipschitz: math.Inf(1)}
}
