package gamma

import (
	"cmp"
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/digits"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// A Mechanism releases a positive number x once as a draw of the Gamma law of shape x/Theta and
// scale Theta, which has mean x and variance x Theta (004, Definition 2). Every x must be in
// [Least, Most], 0 < Least < Most.
type Mechanism struct{ Least, Most, Theta float64 }

// Check returns an error if the bounds or Theta are not valid or out of numerical range.
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

// The range of shapes in which the logarithm of the Gamma function has the digits that Delta needs.
const leastShape, mostShape = 1e-200, 1e9

func (g Mechanism) priced() bool {
	low, high := g.shapes()
	return low >= leastShape && high <= mostShape
}

// shapes returns the shapes of the two ends of the range, which are the two values that are easiest
// to tell apart.
func (g Mechanism) shapes() (low, high float64) { return g.Least / g.Theta, g.Most / g.Theta }

// logThreshold returns the logarithm of the point, in units of Theta, at which the density of Most
// is exp(eps) times that of Least: (eps + ln Gamma(high) - ln Gamma(low)) / (high - low). The ratio
// of the densities increases.
func (g Mechanism) logThreshold(eps float64) float64 {
	low, high := g.shapes()
	a, _ := math.Lgamma(low)
	b, _ := math.Lgamma(high)
	return (eps + b - a) / (high - low)
}

// tails returns the probabilities that a draw of a shape, at scale 1, is below and above
// exp(logAt). Far below 1 the cumulative law is a power.
func tails(shape, logAt float64) (below, above float64) {
	if logAt > -34 {
		at := math.Exp(logAt)
		return math.GammaTails(shape, at)
	}
	one, _ := math.Lgamma(shape + 1)
	log := float64(shape*logAt) - one
	return math.Exp(log), -math.Expm1(log)
}

// TailDelta returns the bound of 004, Lemma 3, as printed: the larger of the probabilities that the
// privacy loss exceeds eps >= 0, one for each of the two values. It is looser than Delta, which
// also subtracts exp(eps) times the probability under the other value.
func (g Mechanism) TailDelta(eps float64) float64 {
	low, high := g.shapes()
	_, above := tails(high, g.logThreshold(eps))
	below, _ := tails(low, g.logThreshold(-eps))
	return max(above, below)
}

// Delta returns the smallest delta at eps >= 0, exactly: the hockey-stick divergence in the worse
// direction. As the likelihood ratio is monotone, the set that attains it is a half-line. As the
// laws are ordered stochastically, the ends of the range are the pair that is easiest to tell
// apart. Where the shapes are out of the range of Check, Delta returns 1, which always holds.
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

// beyond returns p - ratio q. Where q is 0 it returns p, even for an infinite ratio.
func beyond(p, ratio, q float64) float64 {
	if q == 0 {
		return p
	}
	return p - float64(ratio*q)
}

// Epsilon returns the smallest eps whose Delta is at most delta in (0, 1), by bisection. The
// mechanism must pass Check.
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

// Floor returns the delta at eps >= 0 that every Theta exceeds and large ones approach. Divided by
// itself plus a standard exponential E, a draw Z of shape k gives (Z/Theta)/(Z/Theta + E), which
// has the law of U^(1/k) for a uniform U. Two values in the ratio r = Most/Least are therefore
// never harder to tell apart than these powers, whatever Theta is. Floor is the larger of
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

// SmallestTheta returns the mechanism with the least Theta whose Delta at eps is at most delta, by
// bisection. Sigma of the calibration is Theta. It is an error if no Theta is enough.
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

// Claim returns the claim behind Delta.
func (g Mechanism) Claim() privacy.Claim {
	return privacy.Claim{Accountant: "Gamma mechanism, exact", Status: privacy.Sound, Assumptions: []string{
		fmt.Sprintf("every value is between %g and %g, whatever the data", g.Least, g.Most),
		"a node draws once, and everything about it that is released later is a function of that draw",
	}}
}

// FloorClaim returns the claim behind Floor. Floor is a lower bound, so that it cannot show that a
// run is private.
func (g Mechanism) FloorClaim() privacy.Claim {
	c := g.Claim()
	c.Accountant, c.Status = "Gamma mechanism, lower bound over theta", privacy.Audit
	return c
}

// PublishedClaim returns the claim behind TailDelta.
func (g Mechanism) PublishedClaim() privacy.Claim {
	c := g.Claim()
	c.Accountant, c.Status = "Gamma mechanism, tail bound", privacy.Published
	return c
}
