package privacy

import "github.com/hearsay-dp/hearsay/internal/math"

// LogDeltaGaussian returns ln delta of the Gaussian mechanism seen directly: the
// hockey-stick divergence at e^eps between N(0,1) and N(mu,1),
//
//	delta = Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu),
//
// (Balle and Wang 2018, Theorem 8). It is exact to about 1e-12 of delta or to the rounding
// of the logarithm, however small delta is. mu = shift/noise >= 0, eps >= 0. It returns
// -Inf for mu = 0 or infinite eps, and panics outside the range.
func LogDeltaGaussian(mu, eps float64) float64 {
	if !(mu >= 0) || !(eps >= 0) {
		panic("privacy: LogDeltaGaussian needs mu >= 0 and eps >= 0")
	}
	if mu == 0 || math.IsInf(eps, 1) {
		return math.Inf(-1)
	}
	near, far := eps/mu-float64(mu/2), eps/mu+float64(mu/2)
	if near < -1 && mu > 1 { // delta is not small: compute it as 1 minus the rest
		return math.Log1p(-math.Exp(logTail(-near)) - math.Exp(eps+logTail(far)))
	}
	// With phi(near) = e^eps phi(far), delta is phi(near) (R(near) - R(far)).
	return LogDensity(near) + math.Log(millsDrop(near, mu))
}

// millsDrop returns R(x) - R(x+width), with a small relative error for any width.
func millsDrop(x, width float64) float64 {
	if width > max(1, x) {
		return mills(x) - mills(x+width)
	}
	sum := 0.0
	for i := 0; i < len(falling.at); i += 4 {
		var at [4]float64
		for k := range at {
			at[k] = x + float64(falling.at[i+k]*width)
		}
		for k, fall := range millsFalls(at) {
			sum += float64(falling.weight[i+k] * width * fall)
		}
	}
	return sum
}

// falling is the rule that integrates millsFall.
var falling = newRule(20)

// EpsilonGaussian returns the smallest eps >= 0 with delta(eps; mu) <= delta, by bisection
// to the last digits. mu >= 0, 0 < delta < 1.
func EpsilonGaussian(mu, delta float64) float64 {
	target := math.Log(delta)
	over := func(eps float64) float64 { return LogDeltaGaussian(mu, eps) - target }
	if over(0) <= 0 {
		return 0
	}
	// delta is at most the normal tail at eps/mu - mu/2, so this end is always far enough.
	far := float64(mu*mu/2) + float64(mu*math.Sqrt(-2*target))
	below, above := epsilonNear(mu, far, over)
	return Bisect(0, far, func(eps float64) bool { return eps >= above || eps > below && over(eps) <= 0 })
}

// epsilonNear returns ends between which over, ln delta minus its target, falls through 0.
// At each end |over| is too large for rounding to have changed its sign. It returns (0,
// far) if it finds none.
func epsilonNear(mu, far float64, over func(eps float64) float64) (below, above float64) {
	const enough = 1e-10
	eps := far
	for range 20 {
		ln := over(eps)
		fall := math.Exp(eps + logTail(eps/mu+float64(mu/2)) - LogDeltaGaussian(mu, eps)) // -d ln delta / d eps
		next := eps + ln/fall
		if !(next > 0 && next < far) {
			break
		}
		if done := math.Abs(next-eps)*fall < enough; done {
			margin := 4 * enough / fall
			if over(next-margin) > enough && over(next+margin) < -enough {
				return next - margin, next + margin
			}
			break
		}
		eps = next
	}
	return 0, far
}

// MuGaussian returns the largest mu with delta(eps; mu) <= delta, by bisection to the last
// digits: the mu that one view may have. eps >= 0, 0 < delta < 1.
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
