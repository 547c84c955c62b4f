package admmview

import (
	"cmp"
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// A Consensus describes private consensus ADMM (002, section 8.4). Local objectives are
// convex and Lipschitz, and Gamma is the parameter of the proximal operators. A node
// updates its variable by 2 lambda (x - z + eta/2), eta of standard deviation Sigma per
// coordinate, whatever lambda is. All three fields are positive.
//
// One update moves by at most 4 lambda L gamma when a node's data changes, and has
// noise lambda Sigma (002, section E.3.1). So an update is released with Gaussian noise
// of multiplier Sigma/(4 L gamma): Multiplier.
type Consensus struct{ Lipschitz, Gamma, Sigma float64 }

func (a Consensus) check() error {
	for _, p := range []struct {
		name string
		x    float64
	}{{"Lipschitz constant", a.Lipschitz}, {"gamma", a.Gamma}, {"noise sigma", a.Sigma}} {
		if !(p.x > 0) || math.IsInf(p.x, 1) {
			return fault.New(fmt.Sprintf("ADMM with a %s of %g", p.name, p.x), "give a number above 0")
		}
	}
	if err := privacy.CheckSigma(a.Multiplier()); err != nil {
		return fault.Wrap(err, fmt.Sprintf("ADMM with noise of %g on a sensitivity of 4 x %g x %g", a.Sigma, a.Lipschitz, a.Gamma), fault.Hint(err))
	}
	return nil
}

// Multiplier returns the noise of one update over its sensitivity.
func (a Consensus) Multiplier() float64 { return a.Sigma / (4 * a.Lipschitz * a.Gamma) }

// WithMultiplier returns the same algorithm at another noise multiplier.
func (a Consensus) WithMultiplier(sigma float64) Consensus {
	a.Sigma = sigma * 4 * a.Lipschitz * a.Gamma
	return a
}

// Local returns the exact loss of a node all of whose updates are public (002, Theorem
// E.8). For K_i participations it is 8 K_i alpha L^2 gamma^2/Sigma^2 at order alpha. It
// bounds the loss towards any observer in every variant, through any variable.
func (a Consensus) Local(participations int, m privacy.Metric) (float64, privacy.Claim, error) {
	if err := cmp.Or(a.check(), m.Check(), privacy.CheckCount(participations, "participations of a node")); err != nil {
		return 0, privacy.Claim{}, err
	}
	return privacy.GaussianLoss(float64(participations), a.Multiplier(), m), a.localClaim(participations), nil
}

func (a Consensus) localClaim(participations int) privacy.Claim {
	return privacy.Bound("ADMM, composed Gaussians",
		fmt.Sprintf("every local objective is convex and %g-Lipschitz, and its proximal operator is computed exactly", a.Lipschitz),
		fmt.Sprintf("a node takes part at most %d times, and all it sends is public", participations))
}

// LocalTight returns the smallest noise multiplier with Local at most target.
// WithMultiplier converts it to a Sigma. LocalTight ignores a.Sigma.
func (a Consensus) LocalTight(participations int, target float64, m privacy.Metric) (privacy.Noise, privacy.Calibration, error) {
	if err := cmp.Or(a.WithMultiplier(1).check(), privacy.CheckCount(participations, "participations of a node")); err != nil {
		return privacy.Noise{}, privacy.Calibration{}, err
	}
	cal, err := privacy.TightGaussian(float64(participations), target, m)
	return privacy.Noise{Claim: a.localClaim(participations), Multiplier: cal.Sigma}, cal, err
}

// CentralGeneral returns the Renyi loss of 002, Theorem E.6: iterations K >= 1 of the
// general centralised ADMM over n records, for a constraint matrix of largest singular
// value norm and smallest one least > 0,
//
//	8 K alpha norm^2 L^2 gamma^2/(Sigma^2 n^2 least^2).
//
// It is not a bound for least < 1. The x-update minimises f plus |A x + ..|^2/(2
// gamma), which is least^2/gamma-strongly convex. The proof takes least/gamma, so
// least^2 stands where least^4 should. With A = 1/2 and linear f the shift is twice the
// charged one.
func (a Consensus) CentralGeneral(iterations, records int, norm, least, order float64) (float64, privacy.Claim, error) {
	err := cmp.Or(a.check(), privacy.Metric{Order: order}.Check(), privacy.CheckCount(iterations, "iterations"), privacy.CheckCount(records, "records"))
	if err != nil {
		return 0, privacy.Claim{}, err
	}
	if !(least > 0 && norm >= least) {
		return 0, privacy.Claim{}, fault.New(fmt.Sprintf("a constraint matrix with singular values from %g to %g", least, norm),
			"its smallest singular value must be above 0")
	}
	ratio := norm / (least * float64(records))
	return float64(iterations) * a.oneRDP(order) * ratio * ratio, a.centralClaim(), nil
}

// Central returns the loss of 002, Theorem 8.7 (E.7), consensus ADMM with a curator: 8
// alpha K L^2 gamma^2/(Sigma^2 n^2).
//
// It is not a bound. The proof divides the shift of one block by n, as in the mean of
// all blocks, but not the noise, whose standard deviation in that mean falls like
// sqrt(n). Two iterations on linear objectives release a Gaussian of order-alpha loss 8
// alpha L^2 gamma^2/(Sigma^2 n), n/2 times the claimed loss. TestTheorem87IsNotABound
// computes it. The sound counterpart is Curated. Means do not compose as mechanisms of
// the released values, because later means depend on blocks that still carry earlier
// noise.
func (a Consensus) Central(iterations, records int, order float64) (float64, privacy.Claim, error) {
	return a.CentralGeneral(iterations, records, 1, 1, order)
}

func (a Consensus) centralClaim() privacy.Claim {
	return privacy.Claim{Accountant: "ADMM, central", Status: privacy.Published, Final: true, Assumptions: []string{
		"a trusted curator releases only the last consensus variable",
		"the noise of a mean over all records is taken to be that of one, which understates the loss",
	}}
}

// oneRDP returns the Renyi loss of one public update (002, equation E.18).
func (a Consensus) oneRDP(order float64) float64 {
	s := a.Multiplier()
	return order / (2 * s * s)
}

// Decentralised returns the loss of 002, Theorem 8.12: the network Renyi loss of
// participations K_i on the complete graph of n nodes,
//
//	8 alpha K_i L^2 gamma^2 ln(n)/(Sigma^2 n),   Sigma > 2 L gamma sqrt(alpha (alpha-1)).
//
// It is not proved, for three reasons. First, weak convexity with c = 1 doubles the
// expected loss, where the proof divides by 2. It needs Sigma^2 >= 8 L^2 gamma^2 alpha
// (alpha-1) with the local loss of E.18, twice the printed square. Second,
// contributions are composed by addition, as in the walk. Third, amplification by
// iteration does not apply. Noise joins z and one block, while the shift stays in
// another, and z alone moves by an expansive map (by 1 + 2 lambda/n for linear
// objectives). The sound counterpart is Walk.
func (a Consensus) Decentralised(participations, nodes int, order float64) (float64, privacy.Claim, error) {
	err := cmp.Or(a.check(), privacy.Metric{Order: order}.Check(), privacy.CheckNodes(nodes), privacy.CheckCount(participations, "participations of a node"))
	if err != nil {
		return 0, privacy.Claim{}, err
	}
	if least := 2 * a.Lipschitz * a.Gamma * math.Sqrt(order*(order-1)); a.Sigma <= least {
		return 0, privacy.Claim{}, fault.New(fmt.Sprintf("Theorem 8.12 at order %g needs sigma above %.6g: it is %g", order, least, a.Sigma),
			"add noise, or take a smaller order")
	}
	n := float64(nodes)
	return float64(participations) * a.oneRDP(order) * math.Log(n) / n, privacy.Claim{Accountant: "ADMM, decentralised", Status: privacy.Published,
		Assumptions: []string{
			"the token goes to a uniform node each turn, and nobody learns from or to whom",
			"iterations amplify, though noise and shift are in different variables",
			"participations compose by addition, which is not proved for several before one receipt",
		}}, nil
}
