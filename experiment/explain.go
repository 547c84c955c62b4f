package experiment

import (
	"fmt"
	"math"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/privacy"
	pathloss "github.com/hearsay-dp/hearsay/privacy/path"
	"github.com/hearsay-dp/hearsay/report"
)

// An Explanation is what one observer could tell about one node, in numbers
// that are bounds and in words.
type Explanation struct {
	About        int           `json:"about"`
	Observer     int           `json:"observer"`
	AboutName    string        `json:"about_name"` // the number, with the name if there is one
	ObserverName string        `json:"observer_name"`
	Accountant   string        `json:"accountant"` // path or exact, or local where nothing is amplified
	Status       report.Status `json:"status"`
	Assumptions  []string      `json:"assumptions"`
	Epsilon      float64       `json:"epsilon"`
	Delta        float64       `json:"delta"`
	Factor       report.Number `json:"odds_factor"` // e^epsilon: what the odds of a guess are multiplied by at most
	Certainty    float64       `json:"certainty"`   // what a guess at even odds becomes at most
	Why          Why           `json:"why"`
	Remedies     []Remedy      `json:"remedies"`
	Published    *float64      `json:"published_epsilon,omitempty"` // the formula in print, which is no bound
	Text         []Paragraph   `json:"text"`
}

// Why lists what the loss of a pair depends on.
type Why struct {
	Sigma         float64 `json:"sigma"`
	Hops          int     `json:"hops"`    // of the shortest way, -1 if there is none
	Between       int     `json:"between"` // nodes on it that add their noise
	Steps         int     `json:"steps"`
	Contributions int     `json:"contributions"` // cap of a node
	Visits        float64 `json:"visits"`        // to a node, on average over nodes
	Seen          float64 `json:"seen"`          // contributions seen bare that the view is worth, at most on average
	Sender        string  `json:"sender"`
	Final         bool    `json:"final"`             // the last token is shown to everybody
	Local         float64 `json:"local_epsilon"`     // if all messages were public
	Charged       string  `json:"charged,omitempty"` // why that is what is charged
	Leakage       float64 `json:"leakage,omitempty"` // of averaging: the share of a node's value that its observer can work out
}

// A Remedy is a change of the spec with the epsilon it gives, at the same delta
// and all else the same.
type Remedy struct {
	Change  string  `json:"change"`
	Epsilon float64 `json:"epsilon"`
}

// usualDelta is the delta of an explanation where the spec's metric has none.
const usualDelta = 1e-6

// Explain says what observer could tell about a node. Its claim is that of the
// path accountant for this pair, or the local one where that has no ground.
func (s *Setup) Explain(about, observer int) (*Explanation, error) {
	if err := s.checkPair(about, observer); err != nil {
		return nil, err
	}
	if s.Gossip != nil {
		return gossipFamily{s}.explain(about, observer)
	}
	walk, sigma := s.pathWalk(), s.Accounting.Sigma
	law, err := walk.Law(about, observer)
	if err != nil {
		return nil, err
	}
	e := &Explanation{
		About: about, Observer: observer, AboutName: s.name(about), ObserverName: s.name(observer), Accountant: "path", Status: report.Status(law.Status), Assumptions: append(law.Grounds(), s.takenAsPublic()...),
		Delta: s.explainedDelta(), Why: s.why(walk, law, about, observer)}
	if e.Published, err = s.publishedEpsilon(about, observer); err != nil {
		return nil, err
	}
	if e.Why.Charged != "" {
		e.Accountant = report.LocalAccountant
	}
	e.charge(law.Epsilon(e.Delta, sigma))
	if e.Remedies, err = remedies(walk, about, observer, sigma, e.Delta); err != nil {
		return nil, err
	}
	e.Text = e.words(s.name(about), s.name(observer), s.notes())
	return e, nil
}

// charge sets epsilon and what it means.
func (e *Explanation) charge(epsilon float64) {
	e.Epsilon, e.Factor, e.Certainty = epsilon, report.Number(math.Exp(epsilon)), 1/(1+math.Exp(-epsilon))
}

// explainedDelta is the spec's delta, if its metric has one.
func (s *Setup) explainedDelta() float64 {
	if delta := s.Spec.Privacy.Metric.Delta; delta != 0 {
		return delta
	}
	return usualDelta
}

func (s *Setup) why(walk pathloss.Walk, law *pathloss.Law, about, observer int) Why {
	hops := int(graph.NewSearch(s.Graph).From(about)[observer])
	return Why{
		Sigma: s.Accounting.Sigma, Hops: hops, Between: max(0, hops-1), Steps: walk.Turns, Contributions: walk.Cap,
		Visits: float64(walk.Turns) / float64(walk.Nodes), Seen: law.Mean(), Sender: s.Spec.Privacy.Sender, Final: walk.Final,
		Local:   privacy.EpsilonGaussian(math.Sqrt(float64(law.Most))/s.Accounting.Sigma, s.explainedDelta()),
		Charged: walk.NotAmplified(),
	}
}

// publishedEpsilon is what the formula in print says of a pair, nil where the
// spec does not ask for it or for no epsilon.
func (s *Setup) publishedEpsilon(about, observer int) (*float64, error) {
	m, err := s.metric()
	if err != nil || m.Delta == 0 {
		return nil, err
	}
	published, err := s.publishedLoss(about, observer, m)
	if err != nil || published == nil {
		return nil, err
	}
	loss := float64(published.Loss)
	return &loss, nil
}

// noisier is the noise of a remedy, relative to what it is.
const noisier = 1.5

// remedies prices changes that would lower the loss of a pair.
func remedies(walk pathloss.Walk, about, observer int, sigma, delta float64) ([]Remedy, error) {
	type plan struct {
		change string
		walk   pathloss.Walk
		sigma  float64
	}
	var plans []plan
	if half := walk; walk.Cap >= 2 {
		half.Cap /= 2
		plans = append(plans, plan{fmt.Sprintf("algorithm.contributions: %d", half.Cap), half, sigma})
	}
	plans = append(plans, plan{fmt.Sprintf("privacy.sigma: %.4g", noisier*sigma), walk, noisier * sigma})
	if kept := walk; walk.Final {
		kept.Final = false
		plans = append(plans, plan{"privacy.release: none", kept, sigma})
	}
	var list []Remedy
	for _, p := range plans {
		law, err := p.walk.Law(about, observer)
		if err != nil {
			return nil, err
		}
		list = append(list, Remedy{p.change, law.Epsilon(delta, p.sigma)})
	}
	return list, nil
}
