package privacy

import (
	"cmp"
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// Poisson describes noisy releases that a record enters with probability Rate each, by a
// coin of its own that only the releaser sees. Examples are sums of clipped gradients over
// Poisson samples. The noise is the same whether or not the record is in. The unit of
// privacy is one record, replaced by any other.
//
// Given which other records enter, let a release be N(a, s^2) if the record does not enter,
// N(a+x, s^2) if it does, and N(a+y, s^2) if the other one does in its place. x and y are
// within half the sensitivity, c s. The worst case is opposite, x = -y. For one step
//
//	(1-q) N(0,1) + q N(c,1)  against  (1-q) N(0,1) + q N(-c,1)
//
// dominates every such pair in both directions, and is one of them (docs/PAPERS.md, Poisson
// samples). It mirrors itself. Steps compose, adaptively (Zhu, Dong and Wang 2022, Theorem
// 10).
type Poisson struct {
	Rate  float64 // in (0, 1]; 1: every record enters all
	Steps int     // at least 1
}

// Loss returns an upper bound on the loss of all steps. muSquared is the squared shift over
// noise that all steps would add up to, in equal shares, if every record entered each of
// them. The loss grows with Rate, and is never above that of Rate 1, which is exact.
func (p Poisson) Loss(muSquared float64, m Metric) float64 {
	if muSquared == 0 || math.IsInf(muSquared, 1) {
		return muSquared
	}
	shown := m.GaussianView(muSquared)
	if p.Rate >= 1 || shown == 0 {
		return shown
	}
	step := newPoissonStep(p.Rate, math.Sqrt(muSquared/float64(p.Steps))/2)
	if step.c > largestShift/2 { // sampling is taken to hide nothing
		return shown
	}
	if m.Order != 0 {
		return min(shown, p.rdp(step)(m.Order))
	}
	if composed := composedEpsilon(step, p.Steps, m.Delta); composed < shown {
		return composed
	}
	return min(shown, p.rdp(step).Minimise(m.Conversion, m.Delta)) // the grid is too small
}

// SampledLoss returns the loss of a node that draws Poisson samples if everybody sees all
// its releases, at noise multiplier sigma. It is LocalLoss for samples.
func SampledLoss(p Poisson, sigma float64, m Metric) (float64, Claim, error) {
	err := cmp.Or(m.Check(), CheckSigma(sigma), CheckCount(p.Steps, "contributions of a node"), checkRate(p.Rate))
	if err != nil {
		return 0, Claim{}, err
	}
	m.Conversion = Tightest
	return p.Loss(float64(p.Steps)/(sigma*sigma), m), p.Claim(), nil
}

// checkRate returns an error for a sampling rate outside (0, 1].
func checkRate(q float64) error {
	if q > 0 && q <= 1 {
		return nil
	}
	return fault.New(fmt.Sprintf("sampling rate %g is not above 0 and at most 1", q), "give the probability with which a row enters a batch, such as 0.1")
}

// Claim returns the claim of SampledLoss.
func (p Poisson) Claim() Claim {
	claim := LocalClaim(p.Steps)
	claim.Accountant, claim.Unit, claim.Gaussian = "local, composed Poisson samples", Record, false
	claim.Assumptions = append(claim.Assumptions, PoissonAssumption)
	return claim
}

// PoissonAssumption is the further assumption of losses of samples.
const PoissonAssumption = "each row is in each of a node's contributions with the node's public rate, by a coin of its own, drawn anew each time, that nobody but " +
	"its holder sees or can foretell; sums are divided by the number of rows to expect, and nobody measures how long they take"

// rdp returns the RDP curve of all steps. With the likelihood ratio r of the pair, E r^order
// is 1 + E[(r^(order-1) - 1)(r - r^(1-order)); r > 1] under the second world, because the
// pair mirrors itself.
func (p Poisson) rdp(step poissonStep) RDP {
	return func(order float64) float64 {
		excess := logExcess(step, order)
		logMoment := excess // ln(1 + e^x) is x up to rounding from here on
		if excess < 40 {
			logMoment = math.Log1p(math.Exp(excess))
		}
		return float64(p.Steps) * logMoment / (order - 1)
	}
}

// A poissonStep is the dominating pair of Poisson. Its densities are phi(z) (b + a e^(cz))
// and phi(z) (b + a e^(-cz)), b = 1-q, a = q e^(-c^2/2). 0 < q < 1, 0 < c.
type poissonStep struct{ q, c, a, b float64 }

func newPoissonStep(q, c float64) poissonStep { return poissonStep{q, c, q * math.Exp(-c*c/2), 1 - q} }

func (p poissonStep) begin() float64 { return 0 }
func (p poissonStep) still() float64 { return 0 }
func (p poissonStep) slope() float64 { return p.c }
func (p poissonStep) shown() float64 { return 2 * p.c }

// loss returns ln (b + a e^(cz)) / (b + a e^(-cz)). For moderate z it uses Log1p of the
// quotient minus 1.
func (p poissonStep) loss(z float64) float64 {
	second := p.b + float64(p.a*math.Exp(-p.c*z))
	if p.c*z > 300 {
		return float64(p.c*z) + math.Log(p.a+float64(p.b*math.Exp(-p.c*z))) - math.Log(second)
	}
	return math.Log1p(2 * p.a * math.Sinh(p.c*z) / second)
}

// z returns the solution of b + a e^(cz) = e^x (b + a e^(-cz)), which is a sinh(cz - x/2) =
// b sinh(x/2).
func (p poissonStep) z(loss float64) float64 {
	return (float64(loss/2) + math.Asinh(p.b/p.a*math.Sinh(loss/2))) / p.c
}

func (p poissonStep) logSecond(z float64) float64 {
	return LogDensity(z) + math.Log(p.b+float64(p.a*math.Exp(-p.c*z)))
}

func (p poissonStep) tails(z float64) (first, second float64) {
	still := float64(p.b * math.Exp(logTail(z)))
	return still + float64(p.q*math.Exp(logTail(z-p.c))), still + float64(p.q*math.Exp(logTail(z+p.c)))
}

// cell returns the mass of the second world between lo and hi, and the integral there of its
// density times the growth of the ratio since lo:
//
//	phi(z) (a e^(c lo) (e^(cd) - 1) + r(lo) a e^(-c lo) (1 - e^(-cd))),  d = z - lo.
func (p poissonStep) cell(rules gauss, lo, hi float64) (mass, excess float64) {
	panels := math.Ceil((hi - lo) * (1 + hi + p.c) / 2)
	width := (hi - lo) / panels
	rule := rules.fine
	if width*(1+hi+p.c) < 0.1 {
		rule = rules.coarse
	}
	rises := float64(p.a * math.Exp(p.c*lo))
	falls := float64(p.a * math.Exp(-p.c*lo))
	ratio := (p.b + rises) / (p.b + falls)
	for k := range int(panels) {
		from := lo + float64(float64(k)*width)
		for i, x := range rule.at {
			z := from + float64(width*x)
			weight := float64(width * rule.weight[i] * math.Exp(LogDensity(z)))
			away := -math.Expm1(-p.c * (z - lo))
			mass += float64(weight * (p.b + float64(falls*(1-away))))
			excess += float64(weight * (float64(rises*math.Expm1(p.c*(z-lo))) + float64(ratio*falls*away)))
		}
	}
	return mass, excess
}
