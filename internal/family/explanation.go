package family

import (
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/report"
)

// An Explanation bounds the knowledge that one observer could gain about one node, in numbers and in words.
type Explanation struct {
	About        int           `json:"about"`
	Unit         privacy.Unit  `json:"unit"`             // what is protected: all data of the node, or one row
	Record       string        `json:"record,omitempty"` // such as one patient's row; "": all data of the node
	Observer     int           `json:"observer"`
	AboutName    string        `json:"about_name"` // the number, with the name if there is one
	ObserverName string        `json:"observer_name"`
	Accountant   string        `json:"accountant"` // path or exact, or local where nothing is amplified
	Status       report.Status `json:"status"`
	Assumptions  []string      `json:"assumptions"`
	Epsilon      float64       `json:"epsilon"`
	Delta        float64       `json:"delta"`
	Factor       report.Number `json:"odds_factor"` // e^epsilon: the largest factor on the odds of a guess
	Certainty    float64       `json:"certainty"`   // the largest probability with which a guess at even odds is right
	// Alone is the pair's bound computed alone, where that is less than Epsilon, the bound that plan, page and tables give. A
	// certificate is for Alone.
	Alone     *float64 `json:"alone_epsilon,omitempty"`
	Why       Why      `json:"why"`
	Remedies  []Remedy `json:"remedies"`
	Published *float64 `json:"published_epsilon,omitempty"` // the formula in print, which is no bound
	Audit     *float64 `json:"audit_epsilon,omitempty"`     // the epsilon that an explicit attack attains: the true loss is at least this
	// Certificate is the data that an independent check of the number needs (flow.Certificate). Its epsilon is that of a
	// Gaussian with mu^2 = energy/sigma^2. nil: the accountant has none.
	Certificate any         `json:"certificate,omitempty"`
	Text        []Paragraph `json:"text"`
	// Rate is the probability with which a record is in each of the node's contributions, where the bound counts on sampling.
	// 0: it does not.
	Rate float64 `json:"rate,omitempty"`

	proven  float64 // a bound on Certainty from the view itself; 0: none, Certainty follows from epsilon and delta
	limited bool    // its clip follows from a limit on its loss

	Notes []string `json:"-"` // caveats; nil: those of the plan
}

// Why lists the quantities on which the loss of a pair depends.
type Why struct {
	Sigma         float64 `json:"sigma"`   // noise over what the data of the node can change
	Hops          int     `json:"hops"`    // length of the shortest path; -1: there is no path
	Between       int     `json:"between"` // nodes on the path that add their noise
	Steps         int     `json:"steps"`
	Contributions int     `json:"contributions"`    // cap of a node
	Visits        float64 `json:"visits,omitempty"` // mean visits to a node by tokens; 0: no token walks
	Seen          float64 `json:"seen"`             // the view's worth in contributions seen bare, an upper bound on average
	Sender        string  `json:"sender"`
	Final         bool    `json:"final"`             // the last token, or the last models of gossip, are shown to everybody
	Local         float64 `json:"local_epsilon"`     // if all messages were public
	Charged       string  `json:"charged,omitempty"` // why the local loss is charged; "": it is not
	Cancels       float64 `json:"-"`                 // noise that partners share and that cancels, over a node's own; 0: none
	Absent        int     `json:"-"`                 // largest number of others that miss a step; their partners reveal the noise that they share with them
	Fresh         float64 `json:"-"`                 // for noise with memory: standard deviation drawn, over Sigma, its worth as independent noise; 0: no memory
	Partners      bool    `json:"-"`                 // the two nodes share a secret
	Bare          bool    `json:"-"`                 // the observer knows, or is shown, the noise of all secrets of the node
	Random        bool    `json:"-"`                 // answers are random with probability Sigma, and no noise is added
	Flow          bool    `json:"-"`                 // gossip in rounds, each message with noise of its own
	Among         int     `json:"-"`                 // the number of nodes of which the observer sees sums only; 0: another kind
	Tokens        int     `json:"tokens,omitempty"`  // number of tokens that walk at once, where there are several
	Turns         int     `json:"-"`                 // averaging turns on one draw of noise, where there are several
	Leakage       float64 `json:"leakage,omitempty"` // for averaging: the share of a node's value that its observer can reconstruct
}

// A Remedy is a change of the spec with the epsilon that it gives, at the same delta and all else the same.
type Remedy struct {
	Change  string  `json:"change"`
	Epsilon float64 `json:"epsilon"`
	Sigma   float64 `json:"-"` // the noise multiplier, where only that changes; 0: something else changes
}

// UsualDelta is the delta of an explanation where the spec's metric has none.
const UsualDelta = 1e-6

// NewExplanation returns the explanation of a pair at a noise multiplier. It uses the spec's delta, or UsualDelta if its metric
// has none.
func NewExplanation(a Algorithm, about, observer int, sigma float64) *Explanation {
	h := a.Of()
	e := &Explanation{About: about, Observer: observer, AboutName: h.Name(about), ObserverName: h.Name(observer), Unit: h.Unit(), Status: report.Sound, Delta: UsualDelta}
	if h.Spec.Records() {
		e.Record = h.Spec.OneRecord()
	}
	e.limited = h.limitsLoss(about)
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

// Sampled sets the sampling rate of records, if it is below 1, and computes the local epsilon again.
func (e *Explanation) Sampled(rate float64) {
	if rate < 1 {
		e.Rate = rate
		e.Why.Local = e.EpsilonOf(float64(e.Why.Contributions), e.Why.Sigma)
	}
}

// Charge sets epsilon and the odds and probability that follow from it.
func (e *Explanation) Charge(epsilon float64) {
	e.Epsilon, e.Factor, e.Certainty = epsilon, report.Number(math.Exp(epsilon)), privacy.Guess(epsilon, e.Delta)
	if e.proven > 0 {
		e.Certainty = min(e.Certainty, e.proven)
	}
}

// ChargeView sets epsilon like Charge and also bounds Certainty by guess, because the view itself shows that a guess at even
// odds is right with probability at most guess.
func (e *Explanation) ChargeView(epsilon, guess float64) {
	e.proven = guess
	e.Charge(epsilon)
}

// ChargeEnergy charges an energy at the node's own noise multiplier.
func (e *Explanation) ChargeEnergy(energy, own float64) {
	epsilon := e.EpsilonOf(energy, own)
	if e.Rate > 0 { // a mixture over who is in a batch
		e.Charge(epsilon)
		return
	}
	e.ChargeView(epsilon, privacy.GuessGaussian(math.Sqrt(energy)/own))
}

// Agree replaces epsilon by the account's loss of the pair, which plan and tables show, if the account priced the pair. sigma
// is the noise of the run, m the metric of account.At.
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

// EpsilonOf returns the epsilon of an energy, in units of one release, at the explanation's delta.
func (e *Explanation) EpsilonOf(energy, sigma float64) float64 {
	return e.EpsilonIn(e.Why.Contributions, energy, sigma)
}

// EpsilonIn returns the epsilon of an energy that spreads over so many contributions.
func (e *Explanation) EpsilonIn(contributions int, energy, sigma float64) float64 {
	if e.Rate > 0 {
		return privacy.Poisson{Rate: e.Rate, Steps: contributions}.Loss(energy/(sigma*sigma), privacy.Metric{Delta: e.Delta, Conversion: privacy.Tightest})
	}
	return privacy.EpsilonGaussian(math.Sqrt(energy)/sigma, e.Delta)
}

// Noisier is the factor by which a remedy raises the noise.
const Noisier = 1.5
