// Package family defines the interface between algorithms and the rest of the house. A Family makes an Algorithm for one spec,
// on one graph, with one set of holdings. Code that plans, runs, prices, explains, attacks or joins uses that interface alone.
// Each family lives in one folder below; docs/ADDING.md shows how one is added.
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

// A Family is a set of algorithm kinds that share their code.
type Family interface {
	spec.Rules
	// Kinds returns the values of algorithm.kind, each with the properties that a spec must know.
	Kinds() []spec.Kind
	// Uses returns how each key of the spec enters the numbers of each accountant.
	Uses() Uses
	// Prepare makes the protocol and checks the conditions of its theory. It does not set the noise. From then on h belongs to
	// the algorithm, except for its spec, which the algorithm copies before it changes it.
	Prepare(ctx context.Context, h Holdings) (Algorithm, error)
}

// An Algorithm is one kind of a family for given holdings. It is immutable: WithNoise and WithPrivacy return others.
type Algorithm interface {
	Of() *Holdings         // the holdings, with the spec as resolved so far
	Local() *descent.Local // a node's step on its own data, with its noise; callers must not change it
	Scales() []float64     // the factors on the nodes' gradients, see descent.Local

	Contributions() int // the cap on the contributions of one node; 0: no cap
	Turns() int64       // turns of the whole run
	Draws() float64     // noise vectors that all nodes draw in the whole run
	Bound() float64     // half-width of the public box that values are confined to
	Work() float64      // approximate number of multiplications of one trial

	// Schedule returns the releases of a run, with the noise set so far. Accountants take it as input, those of Accountants and
	// those of programs that ask about a graph alone.
	Schedule() schedule.Schedule
	// Accountants returns those that price this algorithm, in the order in which reports show them beside the spec's own. m is
	// the spec's metric.
	Accountants(m privacy.Metric) []Accountant
	// WithNoise returns the same algorithm with the given noise multiplier. Where the number of turns is open, it has at least
	// as many turns as before, and as many as that noise asks for.
	WithNoise(multiplier float64) (Algorithm, error)
	// WithPrivacy returns the same algorithm under another privacy block of the spec.
	WithPrivacy(p spec.Privacy) Algorithm
	// Trial runs once in bulk, shows s the model after every step, and returns the last model.
	Trial(ctx context.Context, seed uint64, s Seen) ([]float64, error)
	// Machine returns one participant's side of a real run.
	Machine(p Participant) Machine

	// Towards returns the laws of the leakage of node u towards each other node. Entry u is nil.
	Towards(ctx context.Context, u int) ([]*walkpath.Law, error)
	// Together returns the laws of the leakage of node u towards coalitions of size other nodes. Their members keep to the protocol
	// and pool their views. alone is the result of Towards. It returns none where only the local loss is a bound.
	Together(ctx context.Context, u, size int, alone []*walkpath.Law) ([]walkpath.Coalition, error)
	// OnGrid bounds an energy of those laws for noise on a grid, where a turn has to hide slack more, in units of the
	// sensitivity (discrete.Slack).
	OnGrid(energy, slack float64) float64
	// Active reports whether those laws also hold towards observers who send arbitrary messages, as long as all others keep to
	// the protocol.
	Active() bool
	// Coalition returns the leakage of each node towards the worst coalition of the size that the spec names. It returns nil if
	// the spec asks for none.
	Coalition(ctx context.Context, priced Accounting) (*report.Coalition, error)
	// Explain returns the explanation of an observer and a node, without its text.
	Explain(about, observer int, priced Accounting) (*Explanation, error)
	// Pairs returns nil, or the error of asking about single pairs.
	Pairs() error
	// Audit returns the attack that audits the numbers, or an error that says why there is none.
	Audit() (Audit, error)

	Scoring() Scoring
	Utility() Utility
	Cost() Cost
	Notes() []string      // caveats that a reader must know before believing the result
	Conditions() []string // further conditions that the numbers of a real run rest on
}

// A Keeper is an algorithm whose nodes may each keep a model of their own. The result then consists of these models, and scores
// are means over nodes.
type Keeper interface {
	Algorithm
	// Kept returns the nodes whose models are scored at the end. It returns nil if no node keeps a model.
	Kept() []int
	// TrialKept runs Trial and then shows own the models that all nodes keep, concatenated. The slice is borrowed.
	TrialKept(ctx context.Context, seed uint64, s Seen, own func(models []float64)) ([]float64, error)
}

// A Sharer is an algorithm whose participants may share secrets, from which they derive noise that cancels.
type Sharer interface {
	Algorithm
	// Secrets returns the graph of participants that share a secret. It returns nil if none do.
	Secrets() *graph.Graph
}

// A Meeter is an algorithm whose participants exchange messages with nodes other than their neighbours in the spec's graph.
type Meeter interface {
	Algorithm
	// Meets returns the nodes that node u exchanges messages with, ascending. It returns nil if these are the neighbours.
	Meets(u int) []int32
}

// A Caller is an algorithm whose participants also send each other messages about those who are missing.
type Caller interface {
	Algorithm
	// Calls returns how many numbers the longest of these messages has, and how many a participant may repeat to each other one.
	Calls() (longest, repeated int)
	// Late returns the largest number of a participant's contributions that may come after others went on without it, in a
	// federation. Own noise alone protects it in these.
	Late() int
	// Liars returns the largest number of participants who may lie together about who is missing. Losses towards more hold only
	// if these follow the protocol.
	Liars() int
}

// A Charger is an algorithm where a unit of privacy may be absent from some releases of its node.
type Charger interface {
	Algorithm
	// Charged returns the largest number of a node's contributions that a unit of privacy is in.
	Charged() int
}

// Fresh returns, for noise with memory, the standard deviation of the fresh draw of a step over that of Local's
// noise, which costs as much. It returns 0 elsewhere.
func Fresh(a Algorithm) float64 {
	if g, ok := a.Schedule().(*schedule.Gossip); ok && g.Memory != nil {
		return g.Memory.Times
	}
	return 0
}

// An Uneven is an algorithm whose releases differ: some have other noise than Local says, or none that is Gaussian.
type Uneven interface {
	Algorithm
	// LocalEnergy returns the energy of so many contributions of node u towards an observer of everything that u releases. Its
	// unit is one contribution with the noise of Local.
	LocalEnergy(u, contributions int) float64
	// Share returns the standard deviation of a turn's noise over that of Local.
	Share(t step.Turn) float64
	// OffGrid names the mechanism that replaces Gaussian noise on a grid. It returns "" if none does.
	OffGrid() string
}

// LocalEnergy returns the local energy of any algorithm: one a contribution, unless it is Uneven.
func LocalEnergy(a Algorithm, u, contributions int) float64 {
	if uneven, ok := a.(Uneven); ok {
		return uneven.LocalEnergy(u, contributions)
	}
	return float64(contributions)
}

// OffGrid returns the OffGrid of any algorithm, "" unless it is Uneven.
func OffGrid(a Algorithm) string {
	if uneven, ok := a.(Uneven); ok {
		return uneven.OffGrid()
	}
	return ""
}

// A Rounder is an algorithm whose turns round more than a step of package descent does. RoundOff returns the additional rounding
// error of a turn, in units of 2^-52 times the half-width of the box, for a model whose gradient is bend-Lipschitz.
type Rounder interface {
	Algorithm
	RoundOff(bend float64) float64
}

// An Estimator is an algorithm whose result estimates a quantity that a simulation knows.
type Estimator interface {
	Algorithm
	// Estimate compares the trials' final models to the true value.
	Estimate(models [][]float64) *report.Estimated
}

// Seen is shown the model after done steps, and the mean squared distance of the nodes' own models from it.
type Seen func(done int, model []float64, apart float64)

// Scoring says how models of an algorithm are scored.
type Scoring struct {
	Tokens    bool      // with OwnModels: the models are those of several tokens, kept apart, and not the nodes'
	OwnModels bool      // every node ends with a model of its own, and their mean is scored
	OwnValues bool      // every node begins with a value of its own, and scores are means over nodes; nothing is minimised
	Shares    []float64 // each node's share of all updates in the long run, as long as no node has reached its cap; nil: not known
}

// An Audit attacks an algorithm in two worlds.
type Audit interface {
	// Game returns a function that scores run i, in world i%2, as the observer sees it.
	Game(about, observer int) (func(ctx context.Context, i int) (score float64, err error), error)
	// PairLosses returns the accountants' bounds for the pair, sound ones first.
	PairLosses(about, observer int, priced Accounting) ([]PairLoss, error)
}

// Utility is a theorem's guarantee for the last iterate, under public bounds. For a walk it is 002 Theorem 7.6 (000 Theorem 2),
// with the clipping norm as bound on gradients and C/mu on the distance to the optimum. For averaging it is 002 Theorem 6.2.
type Utility struct {
	Distance2   *float64 `json:"expected_squared_distance"` // bound on E norm(x_T - x*)^2, x* the mean for averaging; null when the theorem does not apply
	StepSize    *float64 `json:"step_size"`                 // the theorem's step size
	Excess      *float64 `json:"expected_excess_loss"`      // beta/2 times Distance2
	Why         string   `json:"why"`                       // why there is no guarantee, or what it rests on
	Design      *Design  `json:"design,omitempty"`          // effect of the weights, for a walk whose visits are weighted; else nil
	NoisePerHop float64  `json:"noise_norm_per_hop"`        // root mean squared norm of the noise of one step
}

// Cost is the number of messages and bytes that a run sends.
type Cost struct {
	Unit        string  `json:"unit"` // what is sent: a hop of the token, or a message of gossip
	Hops        int     `json:"hops"`
	BytesPerHop int     `json:"bytes_per_hop"` // of the model; a frame adds a little
	Bytes       int     `json:"bytes"`
	PerNode     float64 `json:"hops_per_node"`
	Time        *Time   `json:"simulated,omitempty"` // nil: no time is simulated
}

// Time is the duration of a run under the latency that a spec gives its network.
type Time struct {
	Seconds float64 `json:"seconds"`        // until the last token ends
	Serial  float64 `json:"serial_seconds"` // if one token went after the other
}

// Timed is an algorithm that simulates time.
type Timed interface {
	// Time returns the simulated duration of the run of a seed. It returns nil if the spec gives no latency.
	Time(seed uint64) *Time
}

// A Participant is a node of a real run: its number, its neighbours, its rows, and the sources of its noise and of its other
// randomness.
type Participant struct {
	ID         step.NodeID
	Neighbours []step.NodeID
	Examples   model.Examples
	Noise      noise.Source
	Shared     noise.Agreed // randomness shared with partners, for noise that cancels; noise.Introduced if they need not be neighbours; may be nil for other algorithms
	Router     Router
}

// A Router is secret randomness besides noise, for decisions such as where a token goes. Each decision asks for its generator
// anew.
type Router interface{ Rand() *rand.Rand }

// A Machine is a participant's side of the run.
type Machine struct {
	step.Durable
	// Model returns the final model as far as this participant has it. It returns nil where the last token is shown only to its
	// holder.
	Model func() []float64
	// Contributions returns how often its data was used so far.
	Contributions func() int
	// Over reports whether the run is over for this participant, whether or not all neighbours have confirmed that they know.
	Over func() bool
	// Missed returns how many steps this participant skipped because the others had gone on, and whether the last one is one of
	// them. It is nil where others wait.
	Missed func() (steps int, last bool)
	// There reports whether another participant's value is in this one's average of the last step. It is nil where others wait.
	There func(v step.NodeID) bool
	// Source returns the node that told this participant that the run had ended, and whether another contradicts it. It is nil
	// where no node tells.
	Source func() (from step.NodeID, disputed bool)
}

// Kinds returns the kinds of all given families.
func Kinds(families ...Family) (kinds spec.Kinds) {
	for _, f := range families {
		kinds = append(kinds, f.Kinds()...)
	}
	return kinds
}

// Of returns the family of a spec's algorithm.
func Of(s *spec.Spec) Family { return s.Kind().Family.(Family) }
