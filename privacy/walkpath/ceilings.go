package walkpath

import (
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/parallel"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/walkpath/allpairs"
)

// An upper bound of a loss from moments. For every k
//
//	E delta_Gauss(eps; sqrt(V)/sigma) <= c_k E V^k,
//	c_k = sup over 0 < V <= cap of delta_Gauss(eps; sqrt(V)/sigma) / V^k,
//
// since no path has more energy than the cap. Between two eps the chord is a bound, as
// delta is convex in eps.

// ceilings holds ln c_k at some eps, for one noise multiplier and delta.
type ceilings struct {
	delta float64
	eps   []float64 // rising; the last is the local loss, which is never exceeded; empty if the local loss is 0
	logs  [][allpairs.Orders]float64
}

// epsPoints is the number of eps, between leastShare times the local loss and the local loss.
const (
	epsPoints  = 256
	leastShare = 1e-4
)

func newCeilings(sigma, delta float64, most, workers int) *ceilings {
	local := privacy.EpsilonGaussian(math.Sqrt(float64(most))/sigma, delta)
	if local == 0 { // delta alone covers every contribution without any amplification
		return &ceilings{delta: delta}
	}
	c := &ceilings{delta: delta, eps: make([]float64, epsPoints), logs: make([][allpairs.Orders]float64, epsPoints)}
	for i := range c.eps {
		c.eps[i] = local * math.Pow(leastShare, 1-float64(i)/(epsPoints-1))
	}
	parallel.Each(epsPoints, workers, func(i int) { c.logs[i] = suprema(c.eps[i], math.Sqrt(float64(most))/sigma, sigma) })
	return c
}

// suprema returns ln c_k at eps over all mu up to top. With mu = e^x, delta is the integral over mu of the
// density at eps/mu - mu/2. The logarithm of the integrand is concave in x, and so is ln delta (Prekopa).
// Between two points ln delta therefore lies below the tangents at both.
func suprema(eps, top, sigma float64) (logs [allpairs.Orders]float64) {
	for k := range logs {
		logs[k] = math.Inf(-1)
	}
	right := tangentAt(eps, lastPoint(eps, top))
	for k := range logs {
		if right.slope >= float64(2*k+2) {
			logs[k] = right.value - float64(float64(2*k+2)*right.x)
		}
	}
	for right.slope < 2*allpairs.Orders {
		left := tangentAt(eps, right.x-pointStep)
		for k := range logs {
			if power := float64(2*k + 2); left.slope >= power && right.slope < power {
				logs[k] = left.meet(right, power)
			}
		}
		right = left
	}
	for k := range logs {
		logs[k] -= float64(float64(2*k+2)*math.Log(sigma)) - 1e-9
	}
	return logs
}

// pointStep is the distance of neighbouring tangents in x.
const pointStep = 0.03

// A tangent holds ln delta at mu = e^x, and its slope in x.
type tangent struct{ x, value, slope float64 }

func tangentAt(eps, x float64) tangent {
	mu := math.Exp(x)
	value := privacy.LogDeltaGaussian(mu, eps)
	return tangent{x, value, math.Exp(x + privacy.LogDensity(eps/mu-float64(mu/2)) - value)}
}

// meet returns the largest value, between the points of both tangents, of the lower tangent less power
// times x.
func (t tangent) meet(right tangent, power float64) float64 {
	fall := t.slope - right.slope
	if !(fall > 0) {
		return max(t.value-float64(power*t.x), right.value-float64(power*right.x))
	}
	at := t.x + min(right.x-t.x, max(0, (right.value-t.value+float64(right.slope*(t.x-right.x)))/fall))
	return t.value + float64(t.slope*(at-t.x)) - float64(power*at)
}

// lastPoint returns ln top if the slope there is at least 2. Else it returns a point where the slope is 2
// or a little less.
func lastPoint(eps, top float64) float64 {
	hi := math.Log(top)
	if tangentAt(eps, hi).slope >= 2 {
		return hi
	}
	lo := min(hi, math.Log(eps)) - 1
	for tangentAt(eps, lo).slope < 2 {
		lo--
	}
	for hi-lo > pointStep {
		if mid := (lo + hi) / 2; tangentAt(eps, mid).slope < 2 {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}

// epsilon returns an upper bound of eps, given the logarithms of the moments of an energy that is
// multiplied by e^shift.
func (c *ceilings) epsilon(moments []float32, shift float64) float64 {
	if len(c.eps) == 0 {
		return 0
	}
	target := math.Log(c.delta)
	lo, hi := -1, len(c.eps)-1
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; c.log(mid, moments, shift) <= target {
			hi = mid
		} else {
			lo = mid
		}
	}
	if lo < 0 {
		return c.eps[0]
	}
	above, below := math.Exp(min(0, c.log(lo, moments, shift))), math.Exp(min(target, c.log(hi, moments, shift)))
	share := (above - c.delta) / (above - below)
	return min(c.eps[hi], c.eps[lo]+float64(share*(c.eps[hi]-c.eps[lo])*(1+1e-12)))
}

// log returns an upper bound of ln delta at point at.
func (c *ceilings) log(at int, moments []float32, shift float64) float64 {
	least, shifted := math.Inf(1), 0.0
	for k, l := range &c.logs[at] {
		shifted += shift
		least = min(least, l+float64(moments[k])+shifted)
	}
	return least
}

// renyi returns an upper bound of the Renyi divergence. rate is the factor of V in the exponential moment.
// Beyond the last moment it uses that e^(rate V) less its first terms, over V^Orders, grows with V.
func renyi(order, rate float64, most int, moments []float32) float64 {
	excess, factorial := 0.0, 0.0
	for k := 1; k < allpairs.Orders; k++ {
		factorial += math.Log(float64(k))
		excess += math.Exp(float64(float64(k)*math.Log(rate)) - factorial + float64(moments[k-1]))
	}
	top := rate * float64(most)
	excess += math.Exp(logTail(top, allpairs.Orders) - float64(allpairs.Orders*math.Log(float64(most))) + float64(moments[allpairs.Orders-1]))
	return min(math.Log1p(excess)*(1+1e-12), top) / (order - 1)
}

// logTail returns the logarithm of e^x less the terms of its series up to that of x^(from-1), or an upper
// bound of it.
func logTail(x float64, from int) float64 {
	if x > 4*float64(from) {
		return x // an upper bound
	}
	term, sum := 1.0, 0.0
	for k := 1; k < from+200; k++ {
		term = float64(term * (x / float64(k)))
		if k >= from {
			sum += term
		}
	}
	return math.Log(sum) + 1e-12
}
