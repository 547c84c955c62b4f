// Package family is what the rest of the house knows of an algorithm: a Family
// makes an Algorithm for one spec on one graph with one set of holdings, and
// whoever plans, runs, prices, explains, attacks or joins asks that. Each family
// lives in one folder below; docs/ADDING.md shows how one is added.
package family

import (
	"context"
	"math/rand/v2"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/spec"
	"github.com/hearsay-dp/hearsay/step"
)

// A Family is some kinds of algorithms that share their code.
type Family interface {
	spec.Rules
	// Kinds are the values of algorithm.kind, with what a spec must know of them.
	Kinds() []spec.Kind
	// Uses says what each key of the spec does to the numbers of each accountant.
	Uses() Uses
	// Prepare makes the protocol and checks what its theory asks for. The noise is
	// not set yet. h is the algorithm's own from then on, but for its spec, of which
	// it changes a copy.
	Prepare(ctx context.Context, h Holdings) (Algorithm, error)
}

// An Algorithm is one kind of a family made concrete. It is not changed once
// made: WithNoise and WithPrivacy return others.
type Algorithm interface {
	Of() *Holdings         // with the spec as resolved so far
	Local() *descent.Local // the step that a node takes on its own data, with its noise; not to be changed
	Scales() []float64     // of the nodes' gradients, see descent.Local

	Contributions() int // the most of one node; 0: no cap
	Turns() int64       // of the whole run
	Draws() float64     // of noise in the whole run, by all nodes together, each of a vector
	Bound() float64     // half-width of the public box that values are confined to
	Work() float64      // about how many multiplications one trial takes

	// Schedule is what a run releases, with the noise set so far: what accountants are
	// given, those of Accountants and those of whoever asks about a graph alone.
	Schedule() schedule.Schedule
	// Accountants are those that price this algorithm, in the order in which they are
	// put beside the spec's own; m is the spec's metric.
	Accountants(m privacy.Metric) []Accountant
	// WithNoise is the same algorithm with a noise multiplier; where the number of
	// turns is open, with at least as many, and as many as that noise asks for.
	WithNoise(multiplier float64) (Algorithm, error)
	// WithPrivacy is the same algorithm under another block of the spec.
	WithPrivacy(p spec.Privacy) Algorithm
	// Trial runs once in bulk, shows s the model after every step, and returns the last.
	Trial(ctx context.Context, seed uint64, s Seen) ([]float64, error)
	// Machine is one participant's side of a real run.
	Machine(p Participant) Machine

	// Towards are laws of what node u gives away to each other node; entry u is nil.
	Towards(ctx context.Context, u int) ([]*walkpath.Law, error)
	// Together are what node u gives away to any so many of the others who keep to the
	// protocol and put together what they see, given what Towards says: none where only
	// the local loss is a bound.
	Together(ctx context.Context, u, size int, alone []*walkpath.Law) ([]walkpath.Coalition, error)
	// OnGrid bounds an energy of those laws where noise lies on a grid and a turn has
	// to hide slack more, in units of the sensitivity (discrete.Slack).
	OnGrid(energy, slack float64) float64
	// Active reports whether those laws hold towards observers who send what they
	// like, as long as all others keep to the protocol.
	Active() bool
	// Coalition is what the worst so many nodes as the spec says learn of each node if
	// they pool what they see, nil if it asks for none.
	Coalition(ctx context.Context, priced Accounting) (*report.Coalition, error)
	// Explain says what observer could tell about a node, but for the words.
	Explain(about, observer int, priced Accounting) (*Explanation, error)
	// Pairs is nil, or the error of asking about single pairs.
	Pairs() error
	// Audit is what is attacked to audit the numbers, or why nothing is.
	Audit() (Audit, error)

	Scoring() Scoring
	Utility() Utility
	Cost() Cost
	Notes() []string      // what a reader must know before believing the result
	Conditions() []string // what a real run's numbers rest on besides
}

// A Keeper is an algorithm whose nodes may each keep a model of their own, which is
// then the result: scores are means over nodes.
type Keeper interface {
	Algorithm
	// Kept are the nodes whose models are scored at the end; nil: none keeps any.
	Kept() []int
	// TrialKept is Trial, which shows own the models that all nodes keep, one after
	// the other, when it is over; borrowed.
	TrialKept(ctx context.Context, seed uint64, s Seen, own func(models []float64)) ([]float64, error)
}

// A Sharer is an algorithm whose participants may share secrets, from which noise follows that cancels.
type Sharer interface {
	Algorithm
	// Secrets is the graph of who shares one with whom; nil: nobody does.
	Secrets() *graph.Graph
}

// A Meeter is an algorithm whose participants exchange messages with others than
// their neighbours in the spec's graph.
type Meeter interface {
	Algorithm
	// Meets are those that node u exchanges messages with, ascending; nil: its
	// neighbours.
	Meets(u int) []int32
}

// A Charger is an algorithm whose units of privacy need not be in all that a node releases.
type Charger interface {
	Algorithm
	// Charged is how many contributions of a node a unit is in at most.
	Charged() int
}

// An Uneven is an algorithm whose releases are not all alike: some have other noise than
// Local says, or none that is Gaussian.
type Uneven interface {
	Algorithm
	// LocalEnergy is what so many contributions of node u are worth to whoever sees all
	// that it lets out, in units of one with the noise of Local.
	LocalEnergy(u, contributions int) float64
	// Share is the noise of a turn over that of Local, as standard deviations.
	Share(t step.Turn) float64
	// OffGrid names what takes the place of Gaussian noise on a grid; "": nothing.
	OffGrid() string
}

// LocalEnergy is that of any algorithm.
func LocalEnergy(a Algorithm, u, contributions int) float64 {
	if uneven, ok := a.(Uneven); ok {
		return uneven.LocalEnergy(u, contributions)
	}
	return float64(contributions)
}

// OffGrid is that of any algorithm.
func OffGrid(a Algorithm) string {
	if uneven, ok := a.(Uneven); ok {
		return uneven.OffGrid()
	}
	return ""
}

// A Rounder is an algorithm whose turns round more than a step of package descent: by so many
// times 2^-52 of the half-width of the box, where slopes change at a rate of bend.
type Rounder interface {
	Algorithm
	RoundOff(bend float64) float64
}

// An Estimator is an algorithm whose result estimates something that a simulation knows.
type Estimator interface {
	Algorithm
	// Estimate compares what the trials ended with to the truth.
	Estimate(models [][]float64) *report.Estimated
}

// Seen is shown the model after so many steps, and how far on average the nodes'
// own models are from it, squared.
type Seen func(done int, model []float64, apart float64)

// Scoring is how models of an algorithm are scored.
type Scoring struct {
	Tokens    bool      // with OwnModels: these are several tokens, kept apart, and not the nodes'
	OwnModels bool      // every node ends with a model of its own, and what is scored is their mean
	OwnValues bool      // every node begins with a value of its own, and scores are means over nodes; nothing is minimised
	Shares    []float64 // of all updates that each node makes in the long run, as long as none has reached its cap; nil: not known
}

// An Audit attacks an algorithm in two worlds.
type Audit interface {
	// Game returns what scores run number i in world i%2, as the observer sees it.
	Game(about, observer int) (func(ctx context.Context, i int) (score float64, err error), error)
	// PairLosses are what the accountants say of the pair, sound ones first.
	PairLosses(about, observer int, priced Accounting) ([]PairLoss, error)
}

// Utility is what a theorem promises about the last iterate, under public
// bounds. Of a walk 002 Theorem 7.6 (000 Theorem 2): clipping norm for
// gradients, C/mu for the distance to the optimum. Of averaging 002 Theorem 6.2.
type Utility struct {
	Distance2   *float64 `json:"expected_squared_distance"` // bound on E norm(x_T - x*)^2, x* the mean for averaging; null when the theorem does not apply
	StepSize    *float64 `json:"step_size"`                 // the theorem's
	Excess      *float64 `json:"expected_excess_loss"`      // beta/2 times Distance2
	Why         string   `json:"why"`                       // why there is no promise, or what it rests on
	Design      *Design  `json:"design,omitempty"`          // of a walk whose visits are weighted: what that changes
	NoisePerHop float64  `json:"noise_norm_per_hop"`        // root mean squared norm of the noise of one step
}

// Cost is what a run puts on the wire.
type Cost struct {
	Unit        string  `json:"unit"` // what is sent: a hop of the token, or a message of gossip
	Hops        int     `json:"hops"`
	BytesPerHop int     `json:"bytes_per_hop"` // of model; a frame adds a little
	Bytes       int     `json:"bytes"`
	PerNode     float64 `json:"hops_per_node"`
	Time        *Time   `json:"simulated,omitempty"` // nil: no time is simulated
}

// Time is how long a run takes by the latency that a spec gives its network.
type Time struct {
	Seconds float64 `json:"seconds"`        // until the last of its tokens has come to its end
	Serial  float64 `json:"serial_seconds"` // if one token had gone after the other
}

// Timed is an algorithm that simulates time.
type Timed interface {
	// Time is that of the run of a seed; nil: the spec gives no latency.
	Time(seed uint64) *Time
}

// A Participant is who takes part in a real run: its number, its neighbours, its
// rows, and where its noise and its other randomness come from.
type Participant struct {
	ID         step.NodeID
	Neighbours []step.NodeID
	Examples   model.Examples
	Noise      noise.Source
	Shared     noise.Agreed // what it shares with partners, for algorithms with noise that cancels; noise.Introduced where they need not be neighbours; else it may be nil
	Router     Router
}

// A Router is secret randomness besides noise, such as where a token goes. Each decision asks
// for its generator anew.
type Router interface{ Rand() *rand.Rand }

// A Machine is a participant's side of the run.
type Machine struct {
	step.Durable
	// Model is what this participant has of the model at the end: nil where the
	// last token is shown to nobody but its holder.
	Model func() []float64
	// Contributions is how often its data was used so far.
	Contributions func() int
	// Over reports whether the run is over for this participant, whether or not all
	// neighbours have confirmed that they know.
	Over func() bool
	// Source is who told this participant that the run had ended, and whether
	// somebody contradicts; nil where nobody tells.
	Source func() (from step.NodeID, disputed bool)
}

// Kinds are those of some families.
func Kinds(families ...Family) (kinds spec.Kinds) {
	for _, f := range families {
		kinds = append(kinds, f.Kinds()...)
	}
	return kinds
}

// Of is the family of a spec's algorithm.
func Of(s *spec.Spec) Family { return s.Kind().Family.(Family) }
