package model

import (
	"math"

	"github.com/hearsay-dp/hearsay/internal/portable"
)

// Logistic is the logistic loss log(1 + exp(-y x'theta)) with labels -1 and
// +1 (002 s.7.2.4). With Intercept the last parameter is the intercept.
//
// For norm(x) <= B it is convex, B^2/4-smooth and B-Lipschitz, where an
// intercept turns B into sqrt(B^2+1).
type Logistic struct{ Intercept bool }

// Name is "logistic".
func (Logistic) Name() string { return "logistic" }

// Params is the number of features, plus one for the intercept.
func (l Logistic) Params(features int) int { return linearParams(features, l.Intercept) }

// Loss is log(1 + exp(-y z)), computed without overflow.
func (Logistic) Loss(theta, x []float64, y float64) float64 {
	z := y * margin(theta, x)
	if z < 0 {
		return math.Log1p(math.Exp(z)) - z
	}
	return math.Log1p(math.Exp(-z))
}

// Clipped is linear in the margin m = y z where the slope 1/(1+exp(m)) exceeds
// clip/norm(x, 1), which is below m0 = log(norm/clip - 1).
func (l Logistic) Clipped(theta, x []float64, y, clip float64) float64 {
	steepest := clip / RowNorm(x, l.Intercept)
	if steepest >= 1 {
		return l.Loss(theta, x, y)
	}
	m, m0 := y*margin(theta, x), math.Log(1/steepest-1)
	if m >= m0 {
		return l.Loss(theta, x, y)
	}
	return -math.Log1p(-steepest) + steepest*(m0-m)
}

// Gradient sets dst to Slope times (x, 1).
func (l Logistic) Gradient(dst, theta, x []float64, y float64) { scale(dst, l.Slope(theta, x, y), x) }

// Slope is -y / (1 + exp(y z)).
func (Logistic) Slope(theta, x []float64, y float64) float64 {
	return -y / (1 + portable.Exp(y*margin(theta, x)))
}

// Correct reports whether the sign of the margin is y; 0 counts as +1.
func (Logistic) Correct(theta, x []float64, y float64) bool {
	return (margin(theta, x) >= 0) == (y > 0)
}

// Guarantees for norm(x) <= bound.
func (l Logistic) Guarantees(bound float64) Guarantees {
	b := extended(bound, l.Intercept)
	return Guarantees{loss: l.Name(), bound: b, convex: true, clipSafe: true, smoothness: b * b / 4, lipschitz: b, classifies: true}
}
