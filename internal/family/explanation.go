package family

import (
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/report"
)

// An Explanation is what one observer could tell about one node, in numbers
// that are bounds and in words.
type Explanation struct {
	About        int           `json:"about"`
	Unit         privacy.Unit  `json:"unit"`             // what is protected of it: all its data, or a row of it
	Record       string        `json:"record,omitempty"` // such as one patient's row; "": all its data
	Observer     int           `json:"observer"`
	AboutName    string        `json:"about_name"` // the number, with the name if there is one
	ObserverName string        `json:"observer_name"`
	Accountant   string        `json:"accountant"` // path or exact, or local where nothing is amplified
	Status       report.Status `json:"status"`
	Assumptions  []string      `json:"assumptions"`
	Epsilon      float64       `json:"epsilon"`
	Delta        float64       `json:"delta"`
	Factor       report.Number `json:"odds_factor"` // e^epsilon: what the odds of a guess are multiplied by at most
	Certainty    float64       `json:"certainty"`   // the probability at most with which a guess at even odds is right
	// Alone is what this pair's bound is when it is worked out alone, where that is less than
	// Epsilon, which is what plan, page and tables say of it; a certificate is of this.
	Alone     *float64 `json:"alone_epsilon,omitempty"`
	Why       Why      `json:"why"`
	Remedies  []Remedy `json:"remedies"`
	Published *float64 `json:"published_epsilon,omitempty"` // the formula in print, which is no bound
	Audit     *float64 `json:"audit_epsilon,omitempty"`     // what an explicit attack attains: the truth is at least this
	// Certificate is what it takes to work the number out again (flow.Certificate), with
	// epsilon = that of a Gaussian of mu^2 = energy/sigma^2; nil: the accountant has none.
	Certificate any         `json:"certificate,omitempty"`
	Text        []Paragraph `json:"text"`
	// Rate is the probability with which a record is in each of the node's contributions, where
	// what is charged counts on its not being in all of them; 0: nothing does.
	Rate float64 `json:"rate,omitempty"`

	proven float64 // what Certainty is by the view itself; 0: by epsilon and delta

	Notes []string `json:"-"` // to keep in mind; nil: all that a plan says
}

// Why lists what the loss of a pair depends on.
type Why struct {
	Sigma         float64 `json:"sigma"`   // over what the data of the node can change
	Hops          int     `json:"hops"`    // of the shortest way, -1 if there is none
	Between       int     `json:"between"` // nodes on it that add their noise
	Steps         int     `json:"steps"`
	Contributions int     `json:"contributions"` // cap of a node
	Visits        float64 `json:"visits"`        // to a node, on average over nodes
	Seen          float64 `json:"seen"`          // contributions seen bare that the view is worth, at most on average
	Sender        string  `json:"sender"`
	Final         bool    `json:"final"`             // the last token, or the last models of gossip, are shown to everybody
	Local         float64 `json:"local_epsilon"`     // if all messages were public
	Charged       string  `json:"charged,omitempty"` // why that is what is charged
	Cancels       float64 `json:"-"`                 // noise that partners share and that cancels, over a node's own; 0: none
	Fresh         float64 `json:"-"`                 // of noise that remembers earlier steps: what is drawn over Sigma, its worth; 0: it remembers none
	Partners      bool    `json:"-"`                 // the two share a secret
	Random        bool    `json:"-"`                 // answers are random with probability Sigma, and no noise is added
	Flow          bool    `json:"-"`                 // rounds of gossip, every message with noise of its own
	Among         int     `json:"-"`                 // nodes of which the observer sees sums only; 0: this is of another kind
	Tokens        int     `json:"tokens,omitempty"`  // that walk at once, where there are several
	Turns         int     `json:"-"`                 // of averaging on one draw of noise, where there are several
	Leakage       float64 `json:"leakage,omitempty"` // of averaging: the share of a node's value that its observer can work out
}

// A Remedy is a change of the spec with the epsilon it gives, at the same delta
// and all else the same.
type Remedy struct {
	Change  string  `json:"change"`
	Epsilon float64 `json:"epsilon"`
	Sigma   float64 `json:"-"` // the noise multiplier, where all else stays; 0: something else changes
}

// UsualDelta is the delta of an explanation where the spec's metric has none.
const UsualDelta = 1e-6

// NewExplanation is of a pair at a noise multiplier and the spec's delta, if its
// metric has one.
func NewExplanation(a Algorithm, about, observer int, sigma float64) *Explanation {
	h := a.Of()
	e := &Explanation{About: about, Observer: observer, AboutName: h.Name(about), ObserverName: h.Name(observer), Unit: h.Unit(), Status: report.Sound, Delta: UsualDelta}
	if h.Spec.Records() {
		e.Record = h.Spec.OneRecord()
	}
	if delta := h.Spec.Privacy.Metric.Delta; delta != 0 {
		e.Delta = delta
	}
	hops := 1
	if h.Graph != nil {
		hops = int(graph.NewSearch(h.Graph).From(about)[observer])
	}
	own := Multiplier(a, about, sigma)
	e.Why = Why{
		Sigma: own, Hops: hops, Between: max(0, hops-1), Contributions: a.Contributions(), Sender: "known",
		Local: e.EpsilonOf(LocalEnergy(a, about, a.Contributions()), own),
	}
	return e
}

// Sampled has losses count on records' being in samples only, and charges the local one again.
func (e *Explanation) Sampled(rate float64) {
	if rate < 1 {
		e.Rate = rate
		e.Why.Local = e.EpsilonOf(float64(e.Why.Contributions), e.Why.Sigma)
	}
}

// Charge sets epsilon and what it means.
func (e *Explanation) Charge(epsilon float64) {
	e.Epsilon, e.Factor, e.Certainty = epsilon, report.Number(math.Exp(epsilon)), privacy.Guess(epsilon, e.Delta)
	if e.proven > 0 {
		e.Certainty = min(e.Certainty, e.proven)
	}
}

// ChargeView is Charge of a view of which more is known than epsilon: that a guess at even odds is right with a probability
// of at most guess.
func (e *Explanation) ChargeView(epsilon, guess float64) {
	e.proven = guess
	e.Charge(epsilon)
}

// ChargeEnergy is Charge of so much energy at the node's own noise multiplier.
func (e *Explanation) ChargeEnergy(energy, own float64) {
	epsilon := e.EpsilonOf(energy, own)
	if e.Rate > 0 { // a mixture over who is in a batch
		e.Charge(epsilon)
		return
	}
	e.ChargeView(epsilon, privacy.GuessGaussian(math.Sqrt(energy)/own))
}

// Agree makes the number what the account says of the pair that everybody is told of it,
// if it priced the pair; sigma is the noise of the run, m the metric that At is in.
func (e *Explanation) Agree(account *Account, sigma float64, m privacy.Metric) error {
	asked := privacy.Metric{Delta: e.Delta, Conversion: privacy.Tightest}
	in := func(sigma float64) (float64, error) { return account.In(e.About, e.Observer, sigma, asked) }
	loss, err := account.At(e.About, e.Observer), error(nil)
	if math.IsNaN(loss) {
		return nil
	}
	if m.Order != 0 {
		if account.In == nil {
			return nil
		}
		if loss, err = in(sigma); err != nil {
			return err
		}
	}
	if alone := e.Epsilon; alone < loss*(1-sharper) {
		e.Alone = &alone
	}
	e.Charge(loss)
	for i, r := range e.Remedies {
		if r.Sigma == 0 || account.In == nil {
			continue
		}
		if e.Remedies[i].Epsilon, err = in(r.Sigma); err != nil {
			return err
		}
	}
	return nil
}

// EpsilonOf is the epsilon of so much energy, in units of one release, at the
// explanation's delta.
func (e *Explanation) EpsilonOf(energy, sigma float64) float64 {
	return e.EpsilonIn(e.Why.Contributions, energy, sigma)
}

// EpsilonIn is that of so much energy in so many contributions.
func (e *Explanation) EpsilonIn(contributions int, energy, sigma float64) float64 {
	if e.Rate > 0 {
		return privacy.Poisson{Rate: e.Rate, Steps: contributions}.Loss(energy/(sigma*sigma), privacy.Metric{Delta: e.Delta, Conversion: privacy.Tightest})
	}
	return privacy.EpsilonGaussian(math.Sqrt(energy)/sigma, e.Delta)
}

// Noisier is the noise of a remedy, relative to what it is.
const Noisier = 1.5
