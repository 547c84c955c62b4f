package walkpublished

import (
	"cmp"
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// A CompleteSGD is projected noisy SGD by a random walk on the complete graph (002, Algorithm 7.2),
// with Turns >= 1 turns over Nodes >= 3 nodes. Its sound accountant is in privacy/walkpath.
type CompleteSGD struct{ Nodes, Turns int }

func (c CompleteSGD) check() error {
	return cmp.Or(privacy.CheckNodes(c.Nodes), privacy.CheckCount(c.Turns, "turns"))
}

// Published returns the loss of 002, Theorem 7.2, for gradients that are (eps0, delta)-DP by the
// Gaussian mechanism, eps0 < 1 and delta < 1/2. The loss at delta + deltaHat is
//
//	sqrt(2 q ln(1/delta)/ln(1.25/delta)) eps0,  q = max(2 N_u ln(n)/n, 2 ln(1/delta)),
//
// where N_u bounds the contributions of a node but for probability deltaHat. It is a Chernoff bound
// where that applies, else exact.
//
// Its proof needs the Renyi order sqrt(8 ln(1.25/delta) ln(1/delta)/q)/eps0 to be above 2, which
// the theorem does not state. With many contributions the closed form falls below the loss at every
// order. Published returns an error there.
func (c CompleteSGD) Published(eps0, delta, deltaHat float64) (privacy.Guarantee, error) {
	if err := cmp.Or(c.check(), privacy.CheckLoss(eps0), privacy.CheckDeltas(delta, deltaHat)); err != nil {
		return privacy.Guarantee{}, err
	}
	if eps0 >= 1 || delta >= 0.5 {
		return privacy.Guarantee{}, fault.New(fmt.Sprintf("Theorem 7.2 for epsilon %g at delta %g is out of its range", eps0, delta),
			"it needs a local epsilon below 1 and delta below 1/2")
	}
	n := float64(c.Nodes)
	made, how := privacy.CountUpper(c.Turns, 1/n, deltaHat)
	log, noise := -math.Log(delta), math.Log(1.25/delta)
	q := max(2*made*math.Log(n)/n, 2*log)
	if order := math.Sqrt(8*noise*log/q) / eps0; order <= 2 {
		return privacy.Guarantee{}, fault.New(
			fmt.Sprintf("Theorem 7.2 holds for a Renyi order above 2: %.0f contributions of epsilon %g make it %.3g", made, eps0, order),
			"take a smaller local epsilon or fewer turns, or Proposition D.11 and the best order")
	}
	claim := c.claim()
	claim.Assumptions = append(claim.Assumptions, "contributions are bounded by "+how)
	return privacy.Guarantee{Claim: claim, Epsilon: math.Sqrt(2*q*log/noise) * eps0, Delta: delta + deltaHat}, nil
}

// PublishedLoss returns contributions times the loss of 002, Proposition D.11, in any metric,
// capped at the local loss. Eps at delta is the smallest over the orders that the condition allows
// (002, Remark D.12).
func (c CompleteSGD) PublishedLoss(contributions int, sigma float64, m privacy.Metric) (float64, privacy.Claim, error) {
	charge := Charge{contributions, m, privacy.Needed}
	if err := cmp.Or(c.check(), charge.check(sigma)); err != nil {
		return 0, privacy.Claim{}, err
	}
	return c.loss(charge, sigma), c.claim(), nil
}

func (c CompleteSGD) loss(charge Charge, sigma float64) float64 {
	curve, _ := charge.curve(sigma)
	return max(0, curve.at(min(Complete{c.Nodes, c.Turns}.Printed(), localCap)))
}

// PublishedTight returns the smallest noise at which PublishedLoss is at most target.
func (c CompleteSGD) PublishedTight(contributions int, target float64, m privacy.Metric) (privacy.Noise, privacy.Calibration, error) {
	charge, floor := Charge{contributions, m, privacy.Needed}, privacy.LeastSigma
	if m.Order > 1 {
		floor = privacy.Needed.MinSigma(m.Order)
	}
	if err := cmp.Or(c.check(), charge.check(floor)); err != nil {
		return privacy.Noise{}, privacy.Calibration{}, err
	}
	cal, err := privacy.Calibrate(func(sigma float64) float64 { return c.loss(charge, sigma) }, floor, target)
	return privacy.Noise{Claim: c.claim(), Multiplier: cal.Sigma}, cal, err
}

func (c CompleteSGD) claim() privacy.Claim {
	return privacy.Claim{Accountant: "complete graph, weak convexity", Status: privacy.Published, Assumptions: []string{
		"the token goes to a uniform node each turn, and nobody learns from or to whom",
		"every update is non-expansive: convex smooth loss, step size at most 2/beta, clipping before the noise",
		"contributions compose by addition, which is not proved for several before one receipt",
		privacy.Needed.String(),
	}}
}
