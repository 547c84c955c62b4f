package gamma

import (
	"cmp"
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/digits"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// A Mechanism releases a positive number x once as a draw of the Gamma law
// of shape x/Theta and scale Theta, mean x and variance x Theta (004,
// Definition 2). Every x is known to be in [Least, Most], 0 < Least < Most.
type Mechanism struct{ Least, Most, Theta float64 }

// Check reports a mechanism that is none.
func (g Mechanism) Check() error {
	if !(g.Least > 0 && g.Most > g.Least) || math.IsInf(g.Most, 1) {
		return fault.New(fmt.Sprintf("a Gamma mechanism for values from %g to %g", g.Least, g.Most),
			"give two bounds, the lower above 0 and below the upper")
	}
	if !(g.Theta > 0) || math.IsInf(g.Theta, 1) {
		return fault.New(fmt.Sprintf("a Gamma mechanism of scale %g", g.Theta), "give a theta above 0")
	}
	if !g.priced() {
		return fault.New(fmt.Sprintf("a Gamma mechanism of scale %g for values from %g to %g is out of range", g.Theta, g.Least, g.Most),
			fmt.Sprintf("give a theta of at least %g and at most %g", digits.Up(g.Most/mostShape, 3), digits.Down(g.Least/leastShape, 3)))
	}
	return nil
}

// The shapes between which logarithms of the Gamma function have the digits that
// Delta needs.
const leastShape, mostShape = 1e-200, 1e9

func (g Mechanism) priced() bool {
	low, high := g.shapes()
	return low >= leastShape && high <= mostShape
}

// shapes are those of the two values that are easiest to tell apart.
func (g Mechanism) shapes() (low, high float64) { return g.Least / g.Theta, g.Most / g.Theta }

// logThreshold is the logarithm of where, in units of Theta, the density of Most
// is exp(eps) times that of Least: (eps + ln Gamma(high) - ln Gamma(low)) over
// (high - low). Their ratio increases.
func (g Mechanism) logThreshold(eps float64) float64 {
	low, high := g.shapes()
	a, _ := math.Lgamma(low)
	b, _ := math.Lgamma(high)
	return (eps + b - a) / (high - low)
}

// tails are the probabilities that a draw of a shape, at scale 1, is below
// and above exp(logAt). Far below 1 the density is a power.
func tails(shape, logAt float64) (below, above float64) {
	if logAt > -34 {
		at := math.Exp(logAt)
		return math.GammaTails(shape, at)
	}
	one, _ := math.Lgamma(shape + 1)
	log := float64(shape*logAt) - one
	return math.Exp(log), -math.Expm1(log)
}

// TailDelta is 004, Lemma 3, as printed: the larger of the probabilities that
// the privacy loss exceeds eps >= 0, one for each of the two values released.
// It bounds delta, loosely: it does not subtract what Delta does.
func (g Mechanism) TailDelta(eps float64) float64 {
	low, high := g.shapes()
	_, above := tails(high, g.logThreshold(eps))
	below, _ := tails(low, g.logThreshold(-eps))
	return max(above, below)
}

// Delta is the smallest delta at eps >= 0, exactly: the hockey-stick
// divergence in the worse direction. As the likelihood ratio is monotone, its
// set is a half-line; as the laws are ordered stochastically, no two other
// values in the range are easier to tell apart than its ends. It is 1, which
// always holds, where the shapes are out of the range of Check.
func (g Mechanism) Delta(eps float64) float64 {
	if !g.priced() {
		return 1
	}
	low, high := g.shapes()
	up, down, ratio := g.logThreshold(eps), g.logThreshold(-eps), math.Exp(eps)
	_, highAbove := tails(high, up)
	_, lowAbove := tails(low, up)
	lowBelow, _ := tails(low, down)
	highBelow, _ := tails(high, down)
	return max(0, beyond(highAbove, ratio, lowAbove), beyond(lowBelow, ratio, highBelow))
}

// beyond is p - ratio q: p where q is 0, whatever the ratio.
func beyond(p, ratio, q float64) float64 {
	if q == 0 {
		return p
	}
	return p - float64(ratio*q)
}

// Epsilon is the smallest eps whose Delta is at most delta in (0, 1), by
// bisection. The mechanism must pass Check.
func (g Mechanism) Epsilon(delta float64) float64 {
	if g.Delta(0) <= delta {
		return 0
	}
	far := 1.0
	for g.Delta(far) > delta {
		far *= 2
	}
	return privacy.Bisect(0, far, func(eps float64) bool { return g.Delta(eps) <= delta })
}

// Floor is the delta at eps >= 0 that no Theta gets below, and that large
// ones approach. A draw Z of shape k gives, beside a standard exponential E,
// (Z/Theta)/(Z/Theta + E), which has the law of U^(1/k) for a uniform U: two
// values in the ratio r = Most/Least are never harder to tell apart than these
// powers, whatever Theta is. What remains is the larger of
//
//	max over w of w - e^eps w^r,    max over w of 1 - w^r - e^eps (1-w).
func Floor(least, most, eps float64) float64 {
	r := most / least
	w := math.Exp(-(eps + math.Log(r)) / (r - 1))
	below := w * (1 - 1/r)
	if e := math.Exp(eps); e < r {
		s := math.Pow(e/r, 1/(r-1)) // P(draw above t) is 1 - s under Least, 1 - s^r under Most
		return max(below, (1-math.Pow(s, r))-float64(e*(1-s)))
	}
	return below
}

// SmallestTheta is the least Theta whose Delta at eps is at most delta, by
// bisection; Sigma of the calibration is Theta. It is an error if no Theta is
// enough.
func SmallestTheta(least, most, eps, delta float64) (Mechanism, privacy.Calibration, error) {
	g := Mechanism{least, most, 1}
	if err := cmp.Or(g.Check(), privacy.CheckTarget(eps, delta)); err != nil {
		return g, privacy.Calibration{}, err
	}
	if floor := Floor(least, most, eps); delta <= floor {
		return g, privacy.Calibration{}, fault.New(
			fmt.Sprintf("the Gamma mechanism on [%g, %g] has delta above %.4g at epsilon %g whatever theta is", least, most, floor, eps),
			"raise epsilon or delta, or bring the bounds closer together")
	}
	cal, err := privacy.Calibrate(func(theta float64) float64 {
		return Mechanism{least, most, theta}.Delta(eps)
	}, privacy.LeastSigma, delta)
	g.Theta = cal.Sigma
	return g, cal, err
}

// Claim says what stands behind Delta.
func (g Mechanism) Claim() privacy.Claim {
	return privacy.Claim{Accountant: "Gamma mechanism, exact", Status: privacy.Sound, Assumptions: []string{
		fmt.Sprintf("every value is between %g and %g, whatever the data", g.Least, g.Most),
		"a node draws once, and everything about it that is released later is a function of that draw",
	}}
}

// FloorClaim says what stands behind Floor: a lower bound, which decides nothing
// in favour of a run.
func (g Mechanism) FloorClaim() privacy.Claim {
	c := g.Claim()
	c.Accountant, c.Status = "Gamma mechanism, lower bound over theta", privacy.Audit
	return c
}

// PublishedClaim says what stands behind TailDelta.
func (g Mechanism) PublishedClaim() privacy.Claim {
	c := g.Claim()
	c.Accountant, c.Status = "Gamma mechanism, tail bound", privacy.Published
	return c
}
