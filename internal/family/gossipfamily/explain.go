package gossipfamily

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/gossipview"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/step"
)

// Explain implements family.Algorithm. It uses the exact accountant for averaging. For learning it uses the flow or pairwise
// accountant if the spec names it, else the local one.
func (a *Algorithm) Explain(about, observer int, priced family.Accounting) (*family.Explanation, error) {
	e := family.NewExplanation(a, about, observer, priced.Sigma)
	e.Why.Steps, e.Notes = a.Spec.Algorithm.Steps, a.Notes()
	if m := a.Protocol.Memory; m != nil {
		e.Why.Fresh = m.Times
	}
	if !a.flows() {
		e.Sampled(a.Protocol.Noise.Rate(step.NodeID(about)))
	}
	return e, a.explainLoss(e, priced.Sigma)
}

// explainLoss sets the loss at the spec's sigma, its accountant and the remedies. Energies are in units of the node's own
// sensitivity, as e.Why.Sigma is.
func (a *Algorithm) explainLoss(e *family.Explanation, sigma float64) error {
	own, energy := e.Why.Sigma, float64(a.Charged())
	flows, cancels := a.Spec.Privacy.Accountant == flowName, a.Spec.Privacy.Accountant == pairwiseName
	if flows || cancels {
		explain := a.explainFlow
		if cancels {
			explain = a.explainPairwise
		}
		var err error
		if energy, err = explain(e); err != nil {
			return err
		}
	} else if !a.averaging() {
		e.Accountant, e.Assumptions = report.LocalAccountant, []string{a.Unit().Adjacency(), "every contribution is charged as if all the world saw it"}
		if e.Rate > 0 {
			e.Assumptions = append(e.Assumptions, privacy.PoissonAssumption)
		}
		e.Why.Charged = "gradients follow what was received, and the local accountant needs to know nothing of that"
	} else {
		leakage, assumptions, err := a.leakage(e.About, e.Observer)
		if err != nil {
			return err
		}
		e.Accountant, e.Why.Leakage, e.Assumptions, energy = "exact", leakage, assumptions, leakage
	}
	e.ChargeEnergy(energy, own)
	e.Remedies = []family.Remedy{{Change: fmt.Sprintf("privacy.sigma: %.4g", family.Noisier*sigma), Epsilon: e.EpsilonOf(energy, family.Noisier*own), Sigma: family.Noisier * sigma}}
	if half := a.Contributions() / 2; half >= 1 && !a.averaging() && !flows && a.Protocol.Memory == nil && a.Protocol.Epoch < 2 {
		each := energy / float64(a.Contributions())
		e.Remedies = append(e.Remedies, family.Remedy{Change: fmt.Sprintf("algorithm.contributions: %d", half), Epsilon: e.EpsilonIn(half, each*float64(half), own)})
	}
	return nil
}

// leakage returns the leakage of one pair and its assumptions.
func (a *Algorithm) leakage(about, observer int) (float64, []string, error) {
	accountant, err := gossipview.Of(a.schedule())
	if err != nil {
		return 0, nil, err
	}
	view, err := accountant.View([]int{observer})
	if err != nil {
		return 0, nil, err
	}
	return view.Leakage(about), []string{
		a.Unit().Adjacency(),
		"each node adds Gaussian noise to its value once, before the first message",
		"the observer follows the protocol, keeps all it receives and knows the weights", "it does not collude",
		"the view was decided: " + string(view.Certainty()),
	}, nil
}
