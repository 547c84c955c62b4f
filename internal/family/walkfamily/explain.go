package walkfamily

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/report"
)

// Explain implements family.Algorithm. The claim is that of the path accountant for this pair, or the local one where the path
// accountant does not apply.
func (a *Algorithm) Explain(about, observer int, priced family.Accounting) (*family.Explanation, error) {
	walk, sigma := a.PathWalk(), priced.Sigma
	law, err := walk.Law(about, observer)
	if err != nil {
		return nil, err
	}
	e := family.NewExplanation(a, about, observer, sigma)
	e.Accountant, e.Status, e.Assumptions = "path", report.Status(law.Status), law.Grounds()
	why := &e.Why
	why.Steps, why.Visits, why.Seen = walk.Turns, float64(walk.Turns*walk.AllTokens())/float64(walk.Nodes), law.Mean()
	if walk.AllTokens() > 1 {
		why.Tokens = walk.AllTokens()
	}
	why.Sender, why.Final, why.Local = a.Spec.Privacy.Sender, walk.Final, e.EpsilonOf(float64(law.Most)+float64(law.Besides*why.Sigma*why.Sigma), why.Sigma)
	if why.Charged = walk.NotAmplified(); why.Charged != "" {
		e.Accountant = report.LocalAccountant
	}
	if e.Published, err = a.publishedEpsilon(about, observer, priced); err != nil {
		return nil, err
	}
	e.ChargeView(law.Epsilon(e.Delta, sigma), law.Guess(sigma, e.Delta))
	e.Remedies, err = remedies(walk, about, observer, sigma, e.Delta)
	return e, err
}

// publishedEpsilon returns the epsilon of the formula in print for a pair. It returns nil where the spec does not ask for the
// formula, or where its metric is no epsilon.
func (a *Algorithm) publishedEpsilon(about, observer int, priced family.Accounting) (*float64, error) {
	m, err := family.Metric(&a.Spec.Privacy)
	if err != nil || m.Delta == 0 {
		return nil, err
	}
	published, err := a.publishedLoss(about, observer, m, priced)
	if err != nil || published == nil {
		return nil, err
	}
	loss := float64(published.Loss)
	return &loss, nil
}

// remedies returns changes of the spec that would lower the loss of a pair, with their epsilon.
func remedies(walk walkpath.Walk, about, observer int, sigma, delta float64) ([]family.Remedy, error) {
	type plan struct {
		change string
		walk   walkpath.Walk
		sigma  float64
	}
	var plans []plan
	if half := walk; walk.Cap >= 2*walk.AllTokens() {
		half.Cap /= 2
		plans = append(plans, plan{fmt.Sprintf("algorithm.contributions: %d", half.Cap), half, sigma})
	}
	plans = append(plans, plan{fmt.Sprintf("privacy.sigma: %.4g", family.Noisier*sigma), walk, family.Noisier * sigma})
	if kept := walk; walk.Final {
		kept.Final = false
		plans = append(plans, plan{"privacy.release: none", kept, sigma})
	}
	var list []family.Remedy
	for _, p := range plans {
		law, err := p.walk.Law(about, observer)
		if err != nil {
			return nil, err
		}
		remedy := family.Remedy{Change: p.change, Epsilon: law.Epsilon(delta, p.sigma)}
		if p.sigma != sigma {
			remedy.Sigma = p.sigma
		}
		list = append(list, remedy)
	}
	return list, nil
}
