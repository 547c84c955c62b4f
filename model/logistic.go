package model

import (
	"github.com/hearsay-dp/hearsay/internal/math"
)

// Logistic is the logistic loss w log(1 + exp(-y x'theta)) with labels y of -1 and
// +1 (002 s.7.2.4) and a public weight w of each. With Intercept the last parameter
// is the intercept.
//
// For norm(x) <= B it is convex, w B^2/4-smooth and w B-Lipschitz, where an
// intercept turns B into sqrt(B^2+1) and w is the larger weight.
type Logistic struct {
	Intercept          bool
	Negative, Positive float64 // weights of the labels -1 and +1; 0 means 1
}

// weight returns the weight of a label.
func (l Logistic) weight(y float64) float64 { return weightOf(y, l.Negative, l.Positive) }

// Name returns "logistic".
func (Logistic) Name() string { return "logistic" }

// Params returns the number of features, plus one for the intercept.
func (l Logistic) Params(features int) int { return linearParams(features, l.Intercept) }

// Loss returns w log(1 + exp(-y z)), computed without overflow.
func (l Logistic) Loss(theta, x []float64, y float64) float64 { return l.lossAt(margin(theta, x), y) }

// lossAt returns the loss at a margin.
func (l Logistic) lossAt(z, y float64) float64 {
	z = float64(y * z)
	if z < 0 {
		return float64(l.weight(y) * (math.Log1p(math.Exp(z)) - z))
	}
	return float64(l.weight(y) * math.Log1p(math.Exp(-z)))
}

// Clipped returns the loss, which is linear in the margin m = y z below its bend.
func (l Logistic) Clipped(theta, x []float64, y, clip float64) float64 {
	b := l.bend(x, y, clip)
	if m := y * margin(theta, x); m < b.from {
		return b.below(m)
	}
	return l.Loss(theta, x, y)
}

// A bend is the margin below which the clipped loss of an example becomes linear: where the slope
// 1/(1+exp(m)) exceeds clip/(w norm(x, 1)), which is below m0 = log(w norm/clip - 1).
type bend struct{ from, weight, slope, value float64 }

func (l Logistic) bend(x []float64, y, clip float64) bend { return l.bendAt(l.steepest(x, y, clip), y) }

// steepest returns the largest slope that a clip leaves an example.
func (l Logistic) steepest(x []float64, y, clip float64) float64 {
	return clip / (l.weight(y) * RowNorm(x, l.Intercept))
}

func (l Logistic) bendAt(steepest, y float64) bend {
	if steepest >= 1 {
		return bend{from: math.Inf(-1)}
	}
	return bend{math.Log(1/steepest - 1), l.weight(y), steepest, -math.Log1p(-steepest)}
}

// below returns the clipped loss at a margin below the bend.
func (b bend) below(m float64) float64 {
	return float64(b.weight * (b.value + float64(b.slope*(b.from-float64(m)))))
}

// Gradient sets dst to Slope times (x, 1).
func (l Logistic) Gradient(dst, theta, x []float64, y float64) { scale(dst, l.Slope(theta, x, y), x) }

// Slope returns -w y / (1 + exp(y z)).
func (l Logistic) Slope(theta, x []float64, y float64) float64 { return l.slopeAt(margin(theta, x), y) }

func (l Logistic) slopeAt(z, y float64) float64 { return -l.weight(y) * y / (1 + math.Exp(y*z)) }

// Classes returns 2.
func (Logistic) Classes() int { return 2 }

// Outputs sets dst to the margin.
func (Logistic) Outputs(dst, theta, x []float64) { dst[0] = margin(theta, x) }

// Correct reports whether the sign of the margin is y; 0 counts as +1.
func (Logistic) Correct(theta, x []float64, y float64) bool {
	return (margin(theta, x) >= 0) == (y > 0)
}

// Guarantees returns the guarantees for norm(x) <= bound.
func (l Logistic) Guarantees(bound float64) Guarantees {
	b, w := extended(bound, l.Intercept), max(l.weight(-1), l.weight(1))
	return Guarantees{loss: l.Name(), bound: b, convex: true, clipSafe: true, smoothness: w * b * b / 4, lipschitz: w * b, classifies: true}
}
