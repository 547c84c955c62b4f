package privacy

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
)

// LogDeltaGaussian is ln delta of the Gaussian mechanism seen directly: the
// hockey-stick divergence at e^eps between N(0,1) and N(mu,1),
//
//	delta = Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu),
//
// (Balle and Wang 2018, Theorem 8), exact to about 1e-12 of delta or the
// rounding of the logarithm, however small delta is. mu = shift/noise >= 0,
// eps >= 0. It is -Inf for mu = 0.
func LogDeltaGaussian(mu, eps float64) float64 {
	if !(mu >= 0) || !(eps >= 0) {
		panic("privacy: LogDeltaGaussian needs mu >= 0 and eps >= 0")
	}
	if mu == 0 || math.IsInf(eps, 1) {
		return math.Inf(-1)
	}
	near, far := eps/mu-mu/2, eps/mu+mu/2
	if near < -1 && mu > 1 { // delta is not small: take it from 1
		return math.Log1p(-math.Exp(logTail(-near)) - math.Exp(eps+logTail(far)))
	}
	// With phi(near) = e^eps phi(far), delta is phi(near) (R(near) - R(far)).
	return LogDensity(near) + math.Log(millsDrop(near, mu))
}

// millsDrop is R(x) - R(x+width), relatively precise for any width.
func millsDrop(x, width float64) float64 {
	if width > max(1, x) {
		return mills(x) - mills(x+width)
	}
	fall := func(t float64) float64 { return millsFall(x + t) }
	return quad.Fixed(fall, 0, width, 20, quad.Legendre{}, 0)
}

// EpsilonGaussian is the smallest eps >= 0 with delta(eps; mu) <= delta, by
// bisection to the last digits. mu >= 0, 0 < delta < 1.
func EpsilonGaussian(mu, delta float64) float64 {
	target := math.Log(delta)
	enough := func(eps float64) bool { return LogDeltaGaussian(mu, eps) <= target }
	if enough(0) {
		return 0
	}
	// delta <= phi-tail at eps/mu - mu/2, so this end is always far enough.
	far := mu*mu/2 + mu*math.Sqrt(-2*target)
	return Bisect(0, far, enough)
}

// MuGaussian is the largest mu with delta(eps; mu) <= delta, by bisection to
// the last digits: what one view may reveal, eps >= 0, 0 < delta < 1.
func MuGaussian(eps, delta float64) float64 {
	target := math.Log(delta)
	tooMuch := func(mu float64) bool { return LogDeltaGaussian(mu, eps) > target }
	hi := 1.0
	for !tooMuch(hi) {
		hi *= 2
	}
	mu := Bisect(0, hi, tooMuch)
	return math.Nextafter(mu, 0)
}
