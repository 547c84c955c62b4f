package model

import "github.com/hearsay-dp/hearsay/internal/math"

// Hinge is the hinge loss w max(0, 1 - y x'theta) of a support vector machine, with labels
// y of -1 and +1 and a public weight w of each, its corner rounded: with t = 1 - y z it
// is w t^2/(2 c) up to t = c = 2^-10 and w (t - c/2) beyond. With Intercept the last
// parameter is the intercept.
//
// For norm(x) <= B it is convex and w B-Lipschitz. Its smoothness is too large to be of use.
type Hinge struct {
	Intercept          bool
	Negative, Positive float64 // weights of the labels -1 and +1; 0 means 1
}

func (h Hinge) weight(y float64) float64 { return weightOf(y, h.Negative, h.Positive) }

// Name returns "hinge".
func (Hinge) Name() string { return "hinge" }

// Params returns the number of features, plus one for the intercept.
func (h Hinge) Params(features int) int { return linearParams(features, h.Intercept) }

// Loss returns the loss of one example.
func (h Hinge) Loss(theta, x []float64, y float64) float64 {
	return h.Clipped(theta, x, y, math.Inf(1))
}

// Clipped goes on with the slope that the clip allows.
func (h Hinge) Clipped(theta, x []float64, y, clip float64) float64 {
	w := h.weight(y)
	steepest := min(w, clip/RowNorm(x, h.Intercept))
	return rounded(math.Max(0, 1-float64(y*margin(theta, x))), w/corner, steepest)
}

// rounded returns k t^2/2 until its slope is steepest, and continues with that slope.
func rounded(t, k, steepest float64) float64 { return k * huber(t, steepest/k) }

// Gradient sets dst to the slope times (x, 1).
func (h Hinge) Gradient(dst, theta, x []float64, y float64) { scale(dst, h.Slope(theta, x, y), x) }

// Slope returns a slope between 0 and -w y.
func (h Hinge) Slope(theta, x []float64, y float64) float64 {
	slope, _ := h.Bend(margin(theta, x), y)
	return slope
}

// Bend implements Margined.
func (h Hinge) Bend(z, y float64) (slope, curvature float64) {
	w, t := h.weight(y), 1-float64(y*z)
	switch {
	case t >= corner:
		return -w * y, 0
	case t > 0:
		return -w * y * (t / corner), w / corner
	}
	return 0, 0
}

// Slopes returns 0 and -w y in ascending order.
func (h Hinge) Slopes(y float64) (low, high float64) {
	steepest := -h.weight(y) * y
	return math.Min(0, steepest), math.Max(0, steepest)
}

// Classes returns 2.
func (Hinge) Classes() int { return 2 }

// Outputs sets dst to the margin.
func (Hinge) Outputs(dst, theta, x []float64) { dst[0] = margin(theta, x) }

// Correct reports whether the sign of the margin is y; 0 counts as +1.
func (Hinge) Correct(theta, x []float64, y float64) bool { return (margin(theta, x) >= 0) == (y > 0) }

// Guarantees returns the guarantees for norm(x) <= bound.
func (h Hinge) Guarantees(bound float64) Guarantees {
	b, w := extended(bound, h.Intercept), max(h.weight(-1), h.weight(1))
	return Guarantees{
		loss: h.Name(), bound: b, convex: true, clipSafe: true, smoothness: math.Inf(1), lipschitz: w * b, classifies: true, bend: w * b * b / corner,
	}
}
