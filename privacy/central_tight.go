package privacy

import "github.com/hearsay-dp/hearsay/internal/math"

// The parameters of the grid of Central.Epsilon. gridPoints is the points for a standard deviation of one tilted loss. A
// window has fewestPoints to mostPoints points. leftOutside bounds the probability outside it.
const (
	gridPoints   = 10
	fewestPoints = 1 << 12
	mostPoints   = 1 << 18
	leftOutside  = 1e-13
	largestShift = 30   // mu above which sampling is taken to hide nothing
	smallestLog  = 600  // -ln of the least density, and ln of the largest ratio, that keep all digits
	largestTilt  = 1000 // in units of 1/mu
	usualDelta   = 1e-9 // below it rare large losses may decide, and more tilts are tried
)

// Epsilon returns an upper bound on the loss of the whole run at delta in (0, 1). It composes the privacy loss distribution of
// one step as often as there are steps. It is tight up to some 1e-3 of itself where grids suffice, which is up to about 10^7
// steps. It returns +Inf where they do not.
//
// The pair of a step is curatorStep, which dominates every real one in both directions, so its products dominate the run's
// (Zhu, Dong and Wang 2022, Theorem 10). The distribution is tilted by e^(theta loss) before its Fourier transform and back
// afterwards, as in the saddle-point approximation of a tail. So errors are relative to delta, however small. They are bounded
// and added: rounding of masses, of the ends of cells and of the transform, and the mass outside the window.
func (c Central) Epsilon(sigma, delta float64) float64 {
	return composedEpsilon(curatorStep{c.rate(), 1 / sigma}, c.Steps, delta)
}

// A worstPair is a pair of worlds that dominates a step in both directions, as laws of one number z with which the likelihood
// ratio grows. Ratios below 1 mirror those above: a loss of -x has the mass in one world that x has in the other.
type worstPair interface {
	begin() float64                                          // the z above which the ratio is above 1
	still() float64                                          // mass at a ratio of 1, in both worlds
	loss(z float64) float64                                  // ln of the ratio at z >= begin
	z(loss float64) float64                                  // its inverse
	logSecond(z float64) float64                             // ln of the density in the second world
	tails(z float64) (first, second float64)                 // masses above z
	cell(rules gauss, lo, hi float64) (mass, excess float64) // see curatorStep.cell
	slope() float64                                          // slope of the loss in z where z is large; the first world's tail is at most that of N(slope, 1)
	shown() float64                                          // shift over noise if draws were shown: the ratio is at most e^(shown z)
}

// composedEpsilon is Central.Epsilon for any dominating pair. It returns the least bound of several tilts, each of which is
// valid.
func composedEpsilon(step worstPair, steps int, delta float64) float64 {
	eps := tiltedEpsilon(step, steps, delta, 8, false)
	if delta < usualDelta {
		eps = min(eps, tiltedEpsilon(step, steps, delta, 8, true), tiltedEpsilon(step, steps, delta, 1, true))
	}
	return eps
}

// tiltedEpsilon is composedEpsilon by the least tilt whose Chernoff bound is within looseness of the best, in units of ln
// delta. If bounded is set, the search leaves out losses that are charged as infinite anyway. Their moments would otherwise
// forbid tilts at which the large losses are seen. It returns +Inf if no grid suffices.
func tiltedEpsilon(step worstPair, steps int, delta, looseness float64, bounded bool) float64 {
	t, logInverse := float64(steps), -math.Log(delta)
	reach := math.Sqrt(2*(logInverse+math.Log(t)+16)) + step.slope()
	if step.shown() > largestShift || reach*reach/2 > smallestLog || step.shown()*reach > smallestLog {
		return math.Inf(1)
	}
	end := math.Inf(1)
	if bounded {
		end = reach
	}
	s := saddleOf(step, t, logInverse, looseness, end)
	if !(s.high > s.low) || math.IsInf(s.high-s.low, 1) {
		return math.Inf(1)
	}
	width := min(math.Sqrt(s.variance)/gridPoints, (s.high-s.low)/fewestPoints)
	width = max(width, (s.high-s.low)/(mostPoints-2), step.loss(reach)/mostPoints)
	if width > smallestLog {
		return math.Inf(1)
	}
	first := int(math.Floor(s.low / width))
	size := 1 << int(math.Ceil(math.Log2((s.high-s.low)/width+2)))
	law := discretise(step, width, reach)
	if !law.whole() {
		return math.Inf(1)
	}
	left := delta - float64(t*law.infinite)
	sum, ok := law.compose(steps, s.theta, s.higher, first, size)
	if !ok || !(left > 0) {
		return math.Inf(1)
	}
	return float64(sum.epsilon(left)*(1+massRounding)) + float64(t*shift(step, reach))
}

// A saddle holds the tilt theta and the window from low to high for a sum of losses around an epsilon. higher is the tilt that
// bounds the mass above the window. variance is the variance of one tilted loss. All are choices: no bound depends on their
// precision.
type saddle struct{ theta, higher, variance, low, high float64 }

// saddleOf chooses a saddle for t losses, with 1/delta = e^logInverse. It takes the least tilt that brings Chernoff's bound
// near delta, because larger ones weigh rare large losses more than needed. Losses beyond z = reach are left out.
func saddleOf(c worstPair, t, logInverse, looseness, reach float64) saddle {
	moment := func(theta float64) float64 { return logMoment(c, theta, reach) }
	most := math.Log(largestTilt / c.shown())
	eps := func(x float64) float64 { return (float64(t*moment(math.Exp(x))) + logInverse) / math.Exp(x) }
	best := lowest(most-16, most, eps)
	least := eps(best)
	x := Bisect(best-16, best, func(x float64) bool { return math.Exp(x)*(eps(x)-least) <= looseness })
	theta := math.Exp(x)
	at := moment(theta)
	const near = 0.05
	variance := (moment(theta*(1-near)) - float64(2*at) + moment(theta*(1+near))) / (near * near * theta * theta)
	upper := func(x float64) float64 {
		return (float64(t*(moment(theta+math.Exp(x))-at)) - math.Log(leftOutside)) / math.Exp(x)
	}
	lower := func(x float64) float64 {
		return (float64(t*(moment(theta-math.Exp(x))-at)) - math.Log(leftOutside)) / math.Exp(x)
	}
	further := lowest(x-8, most, upper)
	s := saddle{theta: theta, higher: theta + math.Exp(further), variance: max(0, variance), high: upper(further)}
	s.low = -lower(lowest(x-8, most, lower))
	return s
}

// logMoment approximates ln E e^(theta loss) up to z = reach, by the trapezoid rule. It is symmetric under theta -> -1-theta,
// because the worlds mirror each other. It returns 0 between -1 and 0, where the true value is at most 0.
func logMoment(c worstPair, theta, reach float64) float64 {
	if theta < 0 {
		theta = -1 - theta
	}
	if theta <= 0 {
		return 0
	}
	const width = 0.25
	sum := logSum{math.Inf(-1), 0}
	end := min(float64((theta+1)*c.shown())+tailWidth, reach)
	for z := c.begin() + width; z < end; z += width {
		sum.add(c.logSecond(z) + logExcessAt(c.loss(z), theta+1))
	}
	logExcess := sum.value() + math.Log(width)
	if logExcess > 40 {
		return logExcess
	}
	return math.Log1p(math.Exp(logExcess))
}

// lowest returns about the minimiser of a function with one minimum: by a grid, then golden section beside the best point.
func lowest(lo, hi float64, f func(x float64) float64) float64 {
	best, where := math.Inf(1), lo
	for x := lo; x <= hi; x++ {
		if y := f(x); y < best {
			best, where = y, x
		}
	}
	lo, hi = where-1, min(where+1, hi)
	for range 12 {
		left, right := hi-(hi-lo)/math.Phi, lo+(hi-lo)/math.Phi
		if f(left) < f(right) {
			hi = right
		} else {
			lo = left
		}
	}
	return (lo + hi) / 2
}
