package schedule

import (
	"iter"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// Weights holds gossip matrices, turn by turn; graph.Sequence is one. They do not
// depend on data. Returned slices are borrowed until the next call.
type Weights interface {
	// Matrix returns W_t whole.
	Matrix(t step.Turn) *sparse.Matrix
	// Row returns the nodes that v averages with at turn t, ascending and v among them, and the
	// weights. Hearing is mutual: if u is in v's row, v is in u's.
	Row(v step.NodeID, t step.Turn) (nodes []int32, weights []float64)
	// Active returns the nodes that take part in turn t, ascending. It returns nil if all do. A node
	// that does not take part keeps its value.
	Active(t step.Turn) []step.NodeID
}

// Gossip is rounds of noisy contributions and averaging with neighbours. In each
// round a node adds its noisy contribution to its value, and then all take
// TurnsPerRound turns of averaging. At each turn every node sends its value to all nodes that
// it averages with. Averaging alone is one round.
type Gossip struct {
	Nodes         int
	W             *sparse.Matrix // the matrix of every turn; nil: Weights has them
	Weights       Weights        // the matrix of every turn, where they differ
	Rounds        int            // T >= 1
	TurnsPerRound int            // K >= 1, turns of averaging in each
	Gamma         float64        // acceleration, from 1, which is none, to 2; 0 means 1
	Cap           int            // most contributions of a node; 0: no cap
	Every         int            // nodes contribute in rounds 0, Every, ..; 0 means 1: in every round
	Final         bool           // the messages of the last turn are public, or a function of them is

	// Asynchronous nodes contribute in the rounds whose first turn they take part
	// in, and in no other. Otherwise all do in all rounds.
	Asynchronous bool
	// NoiseAlways has a node that takes part in a round and does not contribute add
	// noise all the same. Otherwise it adds none.
	NoiseAlways bool
	// NoiseEachTurn lets a node that takes part in a turn add noise before every turn, not only
	// before the first of a round.
	NoiseEachTurn bool

	// Pairwise is the standard deviation of the noise that the two ends of an edge share,
	// over that of a node's own. Whenever nodes add noise, one end adds the shared noise and the other
	// subtracts it. 0 means no shared noise. Pairs has these edges: entries off the diagonal, at both ends.
	Pairwise float64
	Pairs    *sparse.Matrix

	// Absent is the largest number of nodes that miss a round, if there is Pairwise: they take part in none of its turns, and the noise that
	// their partners share with them in it is left out, or revealed to all. 0 means that nobody may miss a round.
	Absent int

	// Memory says how the noise of a round depends on the noise of earlier rounds, both a node's own and shared noise. nil means that
	// it does not. Noise then is that of rounds without a memory at the same price, and fresh noise is Memory.Times as large.
	Memory *Memory
	// Epoch is the number of rounds of a pass over a node's rows, which take turns: a row is in one round of each pass, always the
	// same. Below 2, every row is in all rounds.
	Epoch int

	// Projected says that a value may be moved after noise was added to it, onto a ball
	// that is smaller than where noise takes it.
	Projected bool

	// Momentum is the weight of a node's previous noisy step in its next. A node's state is
	// then its value and that step. 0 means that it is the value alone.
	Momentum float64

	StepSizes   []float64 // gamma_t of every round, which scale contributions and noise alike; nil: all are equal
	Sensitivity float64   // of a contribution, in the unit of a gradient
	Noise       float64   // standard deviation per coordinate, same unit

	Sensitivities      // of each node, at most Sensitivity; nil: all have Sensitivity
	Records       bool // one record is the unit of privacy; else it is all the data of a node

	Update model.Update // facts about the local steps; the zero value amplifies nothing
}

// Turns returns the number of turns of the whole run.
func (g *Gossip) Turns() step.Turn { return step.Turn(g.Rounds) * step.Turn(g.TurnsPerRound) }

// Acceleration returns Gamma, and 1 without acceleration.
func (g *Gossip) Acceleration() float64 { return max(1, g.Gamma) }

// Matrix returns W_t.
func (g *Gossip) Matrix(t step.Turn) *sparse.Matrix {
	if g.W != nil {
		return g.W
	}
	return g.Weights.Matrix(t)
}

// Row returns row v of W_t.
func (g *Gossip) Row(v step.NodeID, t step.Turn) (nodes []int32, weights []float64) {
	if g.W != nil {
		return g.W.Row(int(v))
	}
	return g.Weights.Row(v, t)
}

// Active returns the nodes that take part in turn t, ascending. It returns nil if all do.
func (g *Gossip) Active(t step.Turn) []step.NodeID {
	if g.W != nil {
		return nil
	}
	return g.Weights.Active(t)
}

// Most returns the largest number of contributions one node can make.
func (g *Gossip) Most() int {
	every := max(1, g.Every)
	most := (g.Rounds + every - 1) / every
	if g.Cap == 0 {
		return most
	}
	return min(g.Cap, most)
}

// MostOfUnit returns the largest number of contributions that contain one unit of privacy.
func (g *Gossip) MostOfUnit() int { return g.OfUnit(g.Most()) }

// OfUnit returns the largest number of so many contributions of a node that contain one unit of privacy. That is all, unless the unit
// is a record and rows take turns. Contributions of a node that misses rounds may fall on the same batch, one a pass.
func (g *Gossip) OfUnit(contributions int) int {
	switch {
	case g.Epoch <= 1 || g.Every > 1 || !g.Records:
		return contributions
	case g.Asynchronous || g.Absent > 0:
		return min(contributions, Taken(g.Rounds, g.Epoch))
	}
	return Taken(contributions, g.Epoch)
}

// EnergyOfUnit returns an upper bound on the energy of the contributions of a unit of privacy that everybody sees. Data of a round move
// a contribution by 1, and noise without a memory is 1.
func (g *Gossip) EnergyOfUnit() float64 {
	if g.Memory == nil {
		return float64(g.MostOfUnit())
	}
	period := 1
	if g.Records {
		period = max(1, g.Epoch)
	}
	return g.Memory.Energy(g.Rounds, g.Most(), period)
}

// Rounding returns the factor by which a noise memory raises the number of coordinates that a grid rounds. It returns 1 without a
// memory. Remembered noise follows a node's data, so that messages of all rounds are rounded, and not only of those
// that contain a unit of privacy. The noise that a node has added is the difference of two float64. Each is off by at most an eighth
// of a step of the grid, because values are at most 2^20 times the noise, and so is each remembered number.
func (g *Gossip) Rounding() int {
	if g.Memory == nil {
		return 1
	}
	steps := 2 + len(g.Memory.Past)/4
	return steps * steps * ((g.Rounds + g.MostOfUnit() - 1) / g.MostOfUnit())
}

// Contributes reports whether a node that holds data and takes part in a round
// contributes in it after used contributions.
func (g *Gossip) Contributes(round, used int) bool {
	return round%max(1, g.Every) == 0 && (g.Cap == 0 || used < g.Cap)
}

// takesPart reports whether a node adds its contribution or noise at a turn.
func (g *Gossip) takesPart(v step.NodeID, t step.Turn) bool {
	if !g.Asynchronous {
		return true
	}
	active := g.Active(t)
	_, found := slices.BinarySearch(active, v)
	return active == nil || found
}

// Contributions returns, for every round, how far the data of a node that holds any
// move its value, in units of the step size times the sensitivity: 1 where it
// contributes, else 0.
func (g *Gossip) Contributions(v step.NodeID) []float64 {
	s, used := make([]float64, g.Rounds), 0
	for round := range s {
		if g.Contributes(round, used) && g.takesPart(v, step.Turn(round)*step.Turn(g.TurnsPerRound)) {
			s[round] = 1
			used++
		}
	}
	return s
}

// Releases yields the releases of the run, turn by turn, in each turn by sender,
// then by receiver. The first messages after a contribution say so; later ones
// repeat values that were already noisy, or add noise alone. Of m contributions sent
// together, m sensitivities stand against the noise of m draws. holds reports whether a node
// holds any data. A nil holds means that all do.
func (g *Gossip) Releases(holds func(step.NodeID) bool) iter.Seq[step.Release] {
	return func(yield func(step.Release) bool) {
		states := make([]sender, g.Nodes)
		for t := range g.Turns() {
			for v := range step.NodeID(g.Nodes) {
				if g.takesPart(v, t) {
					g.begin(&states[v], v, t, holds)
				}
			}
			for v := range step.NodeID(g.Nodes) {
				if !g.send(v, t, &states[v], yield) {
					return
				}
			}
		}
	}
}

// A sender is a node as its releases see it: its contributions so far, those not yet
// sent to anybody, and whether it has noise not yet sent.
type sender struct {
	used, unsent int
	fresh        bool
}

// begin counts the contribution or noise that a node adds to its value before a turn in which it takes part.
func (g *Gossip) begin(s *sender, v step.NodeID, t step.Turn, holds func(step.NodeID) bool) {
	first := t%step.Turn(g.TurnsPerRound) == 0
	switch {
	case !first && !g.NoiseEachTurn:
	case first && g.Contributes(int(t)/g.TurnsPerRound, s.used) && (holds == nil || holds(v)):
		s.used++
		s.unsent++
		s.fresh = true
	case g.NoiseAlways || !first:
		s.fresh = true
	}
}

// send yields the releases of one node at a turn.
func (g *Gossip) send(v step.NodeID, t step.Turn, s *sender, yield func(step.Release) bool) bool {
	row, _ := g.Row(v, t)
	r := step.Release{From: v, Turn: t}
	if s.fresh && len(row) > 1 {
		m := float64(max(1, s.unsent))
		r.Contributed, r.Sensitivity, r.NoiseStd = s.unsent > 0, m*g.Sensitivities.of(v, g.Sensitivity), math.Sqrt(m)*g.Noise
		r.PairStd = g.Pairwise * r.NoiseStd
		s.unsent, s.fresh = 0, false
	}
	for _, u := range row {
		if r.To = step.NodeID(u); r.To != v && !yield(r) {
			return false
		}
	}
	return true
}
