package privacy

import (
	"cmp"
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// Central describes SGD by a trusted curator: at each of Steps steps it draws
// Drawn of Nodes nodes uniformly, without replacement, adds up their clipped gradients
// and adds noise. All iterates are public; who was drawn is not.
type Central struct {
	Nodes, Steps int
	Drawn        int // at most Nodes; 0: 1
}

func (c Central) check() error {
	if c.Drawn < 0 || c.Drawn > max(1, c.Nodes) {
		return fault.New(fmt.Sprintf("%d of %d nodes cannot be drawn", c.Drawn, c.Nodes), "draw at least one, and at most all")
	}
	return cmp.Or(CheckCount(c.Nodes, "nodes"), CheckCount(c.Steps, "steps"))
}

// rate returns the probability that a step draws a given node.
func (c Central) rate() float64 { return float64(max(1, c.Drawn)) / float64(c.Nodes) }

// all reports whether every step draws every node, so that sampling amplifies nothing.
func (c Central) all() bool { return max(1, c.Drawn) == c.Nodes }

func (c Central) claim() Claim {
	return Claim{Accountant: "central, subsampled Gaussian", Status: Sound, Towards: Everybody, Assumptions: []string{
		fmt.Sprintf("a trusted curator draws %d of %d nodes uniformly at each of %d steps and keeps secret which", max(1, c.Drawn), c.Nodes, c.Steps),
		"every iterate is public",
		"each contribution is clipped before the noise",
	}}
}

// RDP returns the RDP curve of the whole run, sound at every order above 1.
//
// Replace the data of one node. One step draws that node with probability q = m/n, for m of n nodes drawn,
// and is then N(g, s^2) or N(g', s^2). Otherwise it is the same mixture M of the others' Gaussians in both
// worlds. Any two of these means are within one sensitivity, because a draw without the node is a draw
// with it in which another node takes its place. Advanced joint convexity (Balle, Barthe and Gaboardi
// 2018, Theorem 2) bounds the hockey-stick divergence of the two worlds. In both directions and for every
// gamma >= 1, it is at most that of (1-q) N(0,1) + q N(mu,1) from N(0,1), mu = 1/sigma. A Renyi divergence
// is an integral of hockey-stick divergences over gamma with positive weights, in both directions (Sason
// and Verdu 2016, Proposition 3). With the likelihood ratio r of the pair above and Z standard normal,
// this gives
//
//	exp((alpha-1) eps) <= 1 + E[ r^alpha + r^(1-alpha) - 1 - r ; r > 1 ],
//
// r = 1 - q + q exp(mu Z - mu^2/2). RDP composes over adaptive steps.
func (c Central) RDP(sigma float64) RDP {
	if 1/sigma > largestShift { // sampling is taken to hide nothing
		return func(order float64) float64 { return float64(c.Steps) * order / (2 * sigma * sigma) }
	}
	return func(order float64) float64 {
		logExcess := SubsampledLogExcess(c.rate(), 1/sigma, order)
		logMoment := logExcess // ln(1 + e^x) is x up to rounding from here on
		if logExcess < 40 {
			logMoment = math.Log1p(math.Exp(logExcess))
		}
		return float64(c.Steps) * logMoment / (order - 1)
	}
}

// Loss returns the loss of the whole run at noise multiplier sigma, in any metric.
func (c Central) Loss(sigma float64, m Metric) (float64, Claim, error) {
	err := cmp.Or(c.check(), m.Check(), CheckSigma(sigma))
	if err != nil {
		return 0, Claim{}, err
	}
	return c.loss(sigma, m), c.claim(), nil
}

// loss returns the least of three bounds: without sampling, by RDP, and, for an epsilon, by Epsilon.
func (c Central) loss(sigma float64, m Metric) float64 {
	if c.all() {
		return GaussianLoss(float64(c.Steps), sigma, m)
	}
	moments := c.momentLoss(sigma, m)
	if m.Order != 0 {
		return moments
	}
	return min(moments, c.Epsilon(sigma, m.Delta))
}

// momentLoss returns the loss by RDP. For an epsilon it returns the loss without sampling if that is less.
func (c Central) momentLoss(sigma float64, m Metric) float64 {
	if c.all() {
		return GaussianLoss(float64(c.Steps), sigma, m)
	}
	curve := c.RDP(sigma)
	if m.Order != 0 {
		return curve(m.Order)
	}
	return min(EpsilonGaussian(math.Sqrt(float64(c.Steps))/sigma, m.Delta), curve.Minimise(m.Conversion, m.Delta))
}

// tightWidth is the relative width of the bracket that ends Tight. It is wider than bracketWidth because
// the grid of Epsilon costs more.
const tightWidth = 1e-5

// Tight returns the smallest noise with Loss at most target.
func (c Central) Tight(target float64, m Metric) (Noise, Calibration, error) {
	if err := cmp.Or(c.check(), m.Check()); err != nil {
		return Noise{}, Calibration{}, err
	}
	cal, err := Calibrate(func(sigma float64) float64 { return c.momentLoss(sigma, m) }, LeastSigma, target)
	if err == nil && m.Order == 0 {
		cal.tighten(func(sigma float64) float64 { return c.loss(sigma, m) }, LeastSigma, target, tightWidth)
	}
	return Noise{c.claim(), cal.Sigma}, cal, err
}

// Published returns the calibration of the papers' central baseline (Bassily, Smith and Thakurta 2014).
// Its sensitivity is L, where replacing a node's data makes 2L. With n = Nodes/Drawn and T = Steps:
//
//	std = 16 L sqrt(T ln(2/delta) ln(1.25 T/(delta n))) / (n eps).
func (c Central) Published(eps, delta float64) (Noise, error) {
	if err := cmp.Or(c.check(), CheckTarget(eps, delta)); err != nil {
		return Noise{}, err
	}
	n, t := float64(c.Nodes)/float64(max(1, c.Drawn)), float64(c.Steps)
	perLipschitz := 16 * math.Sqrt(t*math.Log(2/delta)*math.Log(1.25*t/(delta*n))) / (n * eps)
	claim := c.claim()
	claim.Accountant, claim.Status = "central, Bassily et al.", Published
	claim.Assumptions = append(claim.Assumptions, "the formula's range of epsilon and steps is not checked")
	return Noise{claim, perLipschitz / 2}, nil
}
