package experiment

import (
	"fmt"
	"math"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/privacy"
	gossiploss "github.com/hearsay-dp/hearsay/privacy/gossip"
	"github.com/hearsay-dp/hearsay/report"
)

// setGivenNoise sets the spec's sigma without pricing any pair.
func (f gossipFamily) setGivenNoise(sigma float64) error {
	if f.Spec.Algorithm.Steps == 0 {
		turns, err := f.stoppingTime(sigma)
		if err != nil {
			return err
		}
		f.setTurns(turns)
	}
	f.Accounting = Accounting{Sigma: sigma, Accounts: []Account{f.unpriced()}}
	f.Local().Noise.Multiplier = sigma
	return nil
}

// explain says what observer could tell about a node, by the exact accountant
// for averaging, by the local one for learning.
func (f gossipFamily) explain(about, observer int) (*Explanation, error) {
	e := &Explanation{About: about, Observer: observer, AboutName: f.name(about), ObserverName: f.name(observer), Status: report.Sound, Delta: f.explainedDelta()}
	hops := int(graph.NewSearch(f.Graph).From(about)[observer])
	e.Why = Why{
		Sigma: f.Accounting.Sigma, Hops: hops, Between: max(0, hops-1), Steps: f.Spec.Algorithm.Steps, Contributions: f.cap(),
		Visits: float64(f.cap()), Sender: "known", Local: f.gossipEpsilon(float64(f.cap()), f.Accounting.Sigma),
	}
	if err := f.explainLoss(e); err != nil {
		return nil, err
	}
	e.Text = e.words(f.name(about), f.name(observer), f.Setup.family().notes())
	return e, nil
}

// gossipEpsilon is the epsilon of so much energy, in units of one release.
func (f gossipFamily) gossipEpsilon(energy, sigma float64) float64 {
	return privacy.EpsilonGaussian(math.Sqrt(energy)/sigma, f.explainedDelta())
}

// explainLoss sets the loss, whose it is, and what would lower it.
func (f gossipFamily) explainLoss(e *Explanation) error {
	sigma, energy := f.Accounting.Sigma, float64(f.cap())
	if !f.Spec.Algorithm.Averaging() {
		e.Accountant, e.Assumptions = report.LocalAccountant, []string{privacy.Participant.Adjacency(), "no composition of gradient rounds below the local loss is proved"}
		e.Why.Charged = "gradients follow what was received, and no smaller number is proved"
	} else {
		leakage, assumptions, err := f.leakage(e.About, e.Observer)
		if err != nil {
			return err
		}
		e.Accountant, e.Why.Leakage, e.Assumptions, energy = "exact", leakage, assumptions, leakage
	}
	e.Assumptions = append(e.Assumptions, f.takenAsPublic()...)
	e.charge(f.gossipEpsilon(energy, sigma))
	e.Remedies = []Remedy{{fmt.Sprintf("privacy.sigma: %.4g", noisier*sigma), f.gossipEpsilon(energy, noisier*sigma)}}
	if half := f.cap() / 2; half >= 1 && !f.Spec.Algorithm.Averaging() {
		e.Remedies = append(e.Remedies, Remedy{fmt.Sprintf("algorithm.contributions: %d", half), f.gossipEpsilon(float64(half), sigma)})
	}
	return nil
}

// leakage is that of one pair.
func (f gossipFamily) leakage(about, observer int) (float64, []string, error) {
	accountant, err := gossiploss.Of(f.schedule())
	if err != nil {
		return 0, nil, err
	}
	view, err := accountant.View([]int{observer})
	if err != nil {
		return 0, nil, err
	}
	return view.Leakage(about), []string{
		privacy.Participant.Adjacency(),
		"each node adds Gaussian noise to its value once, before the first message",
		"the observer follows the protocol, keeps all it receives and knows the weights", "it does not collude",
		"the view was decided: " + string(view.Certainty()),
	}, nil
}
