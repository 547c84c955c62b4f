package privacy

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// A Conversion turns (alpha, eps)-RDP into (eps', delta)-DP.
type Conversion int

// The conversions. All hold for every order above 1.
const (
	// Mironov is eps + ln(1/delta)/(alpha-1): Mironov 2017, Proposition 3; 002,
	// Proposition D.8.
	Mironov Conversion = iota
	// CanonneKamathSteinke is
	// eps + ln((alpha-1)/alpha) - (ln delta + ln alpha)/(alpha-1): Canonne,
	// Kamath and Steinke 2020, Proposition 12. Never larger than Mironov.
	CanonneKamathSteinke
	// Tightest is the better of CanonneKamathSteinke and delta = sqrt(1 - exp(-rdp)), which holds
	// at every eps >= 0. The latter bounds the total variation of two laws of Kullback-Leibler
	// divergence rdp (Bretagnolle and Huber 1979). No Renyi divergence of order above 1 is smaller
	// than the Kullback-Leibler divergence.
	Tightest
)

// String returns the name in a spec: "mironov", "cks" or "tightest".
func (c Conversion) String() string {
	switch c {
	case Mironov:
		return "mironov"
	case CanonneKamathSteinke:
		return "cks"
	case Tightest:
		return "tightest"
	}
	return fmt.Sprintf("Conversion(%d)", int(c))
}

// ParseConversion reads the name of a conversion that a spec can ask for. It does not accept
// "tightest".
func ParseConversion(s string) (Conversion, error) {
	for _, c := range []Conversion{Mironov, CanonneKamathSteinke} {
		if c.String() == s {
			return c, nil
		}
	}
	return 0, fault.New(fmt.Sprintf("conversion %q is unknown", s), "use mironov or cks")
}

// Epsilon returns the eps' of the (eps', delta)-DP that (order, rdp)-RDP implies, at least 0. order
// > 1, rdp >= 0, 0 < delta < 1.
func (c Conversion) Epsilon(order, rdp, delta float64) float64 {
	if c == Tightest && logVariation(rdp) <= math.Log(delta) {
		return 0
	}
	return max(0, rdp+c.Price(order, -math.Log(delta)))
}

// logVariation returns ln sqrt(1 - exp(-rdp)). It bounds the log of the total variation of two laws
// of Kullback-Leibler divergence rdp >= 0.
func logVariation(rdp float64) float64 { return math.Log(-math.Expm1(-rdp)) / 2 }

// Price returns the summand that turns the RDP loss at an order above 1 into an epsilon, if that
// epsilon is above 0. ln(1/delta) must be above 0.
func (c Conversion) Price(order, logInverseDelta float64) float64 {
	above := order - 1
	if c == Mironov {
		return logInverseDelta / above
	}
	return math.Log(above/order) + (logInverseDelta-math.Log(order))/above
}

// BestOrder returns the order that minimises order*slope + Price, slope > 0.
func (c Conversion) BestOrder(slope, logInverseDelta float64) float64 {
	above := math.Sqrt(logInverseDelta / slope)
	if c == Mironov {
		return 1 + above
	}
	// The derivative vanishes where slope*above^2 + ln(1+above) = ln(1/delta). The left side
	// increases, and at Mironov's order it is already too large.
	return 1 + Bisect(0, above, func(a float64) bool {
		return float64(slope*a*a)+math.Log1p(a) >= logInverseDelta
	})
}

// RDP is a curve of Renyi differential privacy: the loss at each order above 1. It is +Inf at an
// order without a bound.
type RDP func(order float64) float64

// Epsilon returns the smallest eps over the given orders and the order that gives it. It returns
// +Inf and 0 if no order has a finite loss.
func (r RDP) Epsilon(c Conversion, delta float64, orders []float64) (eps, order float64) {
	eps = math.Inf(1)
	for _, o := range orders {
		if e := c.Epsilon(o, r(o), delta); e < eps {
			eps, order = e, o
		}
	}
	return eps, order
}

// Minimise returns the smallest eps at delta in (0, 1) over all orders: on a coarse grid up to
// where eps rises, then by golden section beside it. Every order is valid, so a curve with several
// minima costs tightness, never soundness.
func (r RDP) Minimise(c Conversion, delta float64) float64 {
	at := func(exponent float64) float64 {
		order := 1 + math.Exp2(exponent)
		return c.Epsilon(order, r(order), delta)
	}
	best, where := math.Inf(1), 0.0
	for exponent := -6.0; exponent <= 12; exponent++ {
		eps := at(exponent)
		if eps > best {
			break // high orders are the expensive ones
		}
		best, where = eps, exponent
	}
	lo, hi := where-1, where+1
	for range 24 {
		left, right := hi-(hi-lo)/math.Phi, lo+(hi-lo)/math.Phi
		a, b := at(left), at(right)
		best = min(best, a, b)
		if a < b {
			hi = right
		} else {
			lo = left
		}
	}
	return best
}

// Bisect returns the smallest x in (lo, hi] at which yes holds, to the last
// digit, given that yes holds at hi and from some point on.
func Bisect(lo, hi float64, yes func(x float64) bool) float64 {
	for {
		mid := lo + float64((hi-lo)/2)
		if mid <= lo || mid >= hi {
			return hi
		}
		if yes(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
}

// LogDelta returns ln delta of the (eps, delta)-DP that (order, rdp)-RDP implies, at most 0:
// Epsilon solved for delta. order > 1, rdp >= 0, eps >= 0.
func (c Conversion) LogDelta(order, rdp, eps float64) float64 {
	above := order - 1
	ln := float64(above * (rdp - eps))
	if c != Mironov {
		ln += float64(above*math.Log(above/order)) - math.Log(order)
	}
	if c == Tightest {
		ln = min(ln, logVariation(rdp))
	}
	return min(0, ln)
}

// RDP returns the largest Renyi loss at an order that still implies (eps, delta)-DP: Epsilon solved
// for rdp. It returns a negative number if no loss does.
func (c Conversion) RDP(order, eps, delta float64) float64 {
	rdp := eps - c.Price(order, -math.Log(delta))
	if c == Tightest {
		rdp = max(rdp, -math.Log1p(-delta*delta))
	}
	return rdp
}
