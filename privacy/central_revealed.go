package privacy

import (
	"cmp"
	"fmt"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// If the unit of privacy is one record, a curator's secret draw of nodes amplifies only by
// how often a node is drawn. Another node's gradient may be so far from this one's that the
// release shows who was drawn. The worlds then differ in one record of a drawn node. By
// joint convexity a step's hockey-stick divergence, for every order gamma, is at most that
// of the world in which draws are shown,
//
//	q D_gamma(N(0,1) || N(mu,1)),  q = Drawn/Nodes, mu the node's sensitivity over the noise.
//
// The bound is attained in the limit where the other nodes' gradients are far away. Over
// the whole run the node is drawn K times, K binomial, and K Gaussians compose: delta(eps)
// = E delta_Gauss(eps; sqrt(K) mu).

// RevealedLoss returns the loss of the whole run if draws are shown. The noise multiplier
// sigma is the noise over the node's own sensitivity. The loss is never above that of a
// node that is drawn at every step.
func (c Central) RevealedLoss(sigma float64, m Metric) (float64, Claim, error) {
	if err := cmp.Or(c.check(), m.Check(), CheckSigma(sigma)); err != nil {
		return 0, Claim{}, err
	}
	return c.revealed(sigma, m), c.revealedClaim(), nil
}

func (c Central) revealed(sigma float64, m Metric) float64 {
	q, all := c.rate(), float64(c.Steps)/(sigma*sigma)
	if m.Order != 0 {
		rate := m.Order * (m.Order - 1) / (2 * sigma * sigma)
		return min(all*m.Order/2, float64(c.Steps)*math.Log1p(q*math.Expm1(rate))/(m.Order-1))
	}
	most := EpsilonGaussian(math.Sqrt(all), m.Delta)
	weights, left := c.draws(m.Delta)
	return Bisect(0, most, func(eps float64) bool {
		delta := left
		for k, p := range weights {
			delta += float64(p * math.Exp(LogDeltaGaussian(math.Sqrt(float64(k))/sigma, eps)))
		}
		return delta <= m.Delta
	})
}

// draws returns the law of how often a node is drawn, as far as it matters at delta, and
// the probability left out.
func (c Central) draws(delta float64) (weights []float64, left float64) {
	q := c.rate()
	if c.all() {
		weights = make([]float64, c.Steps+1)
		weights[c.Steps] = 1
		return weights, 0
	}
	most := BinomialUpper(c.Steps, q, delta*1e-9)
	for k := range most + 1 {
		weights = append(weights, math.Exp(LogBinomial(c.Steps, q, k))*(1+1e-9)) // more than the error of Lgamma
	}
	return weights, BinomialTail(c.Steps, q, most+1)
}

func (c Central) revealedClaim() Claim {
	claim := c.claim()
	claim.Accountant, claim.Unit = "central, draws shown", Record
	claim.Assumptions[0] = fmt.Sprintf("a trusted curator draws %d of %d nodes uniformly at each of %d steps; who was drawn is taken to be public, which a record of it is not hidden by",
		max(1, c.Drawn), c.Nodes, c.Steps)
	return claim
}
