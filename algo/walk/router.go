package walk

import (
	"math/rand/v2"

	"github.com/hearsay-dp/hearsay/step"
)

// A Chooser draws the next node of a walk from row u of a transition matrix.
type Chooser interface {
	Next(u int, r *rand.Rand) int
}

// Seeded is a Router with keyed streams. Not safe for concurrent use.
type Seeded struct {
	choose Chooser
	seed   uint64
	stream step.Stream
}

// NewSeeded returns a router along choose with the streams of seed.
func NewSeeded(choose Chooser, seed uint64) *Seeded { return &Seeded{choose: choose, seed: seed} }

// Next implements Router.
func (s *Seeded) Next(at step.NodeID, t step.Turn, lane step.Lane) step.NodeID {
	return step.NodeID(s.choose.Next(int(at), s.stream.At(s.seed, at, t, lane, step.Route)))
}

// Away implements Router.
func (s *Seeded) Away(at step.NodeID, t step.Turn, lane step.Lane, probability float64) bool {
	return s.stream.At(s.seed, at, t, lane, step.Absence).Float64() < probability
}

// Again implements Router.
func (s *Seeded) Again(at step.NodeID, t step.Turn, lane step.Lane, attempt int, silent step.NodeID) step.NodeID {
	r := s.stream.At(s.seed, at, t, lane, step.Reroute+step.Purpose(min(attempt, mostReroutes)))
	return Elsewhere(s.choose, at, silent, r)
}

// Chance implements Chance.
func (s *Seeded) Chance(at step.NodeID, t step.Turn, lane step.Lane) *rand.Rand {
	return s.stream.At(s.seed, at, t, lane, step.Response)
}

// mostReroutes is the number of attempts of one turn that have streams of their own.
const mostReroutes = 128

// Elsewhere draws from the row of at until the result is not silent. If there is no other node it returns at.
func Elsewhere(choose Chooser, at, silent step.NodeID, r *rand.Rand) step.NodeID {
	for range 1000 {
		if to := step.NodeID(choose.Next(int(at), r)); to != silent {
			return to
		}
	}
	return at
}

// Drawn is a Router with randomness that cannot be reproduced. It calls Rand once for each decision.
type Drawn struct {
	Choose Chooser
	Rand   func() *rand.Rand
}

// Next implements Router.
func (d Drawn) Next(at step.NodeID, _ step.Turn, _ step.Lane) step.NodeID {
	return step.NodeID(d.Choose.Next(int(at), d.Rand()))
}

// Away implements Router.
func (d Drawn) Away(_ step.NodeID, _ step.Turn, _ step.Lane, probability float64) bool {
	return d.Rand().Float64() < probability
}

// Again implements Router.
func (d Drawn) Again(at step.NodeID, _ step.Turn, _ step.Lane, _ int, silent step.NodeID) step.NodeID {
	return Elsewhere(d.Choose, at, silent, d.Rand())
}

// Chance implements Chance.
func (d Drawn) Chance(step.NodeID, step.Turn, step.Lane) *rand.Rand { return d.Rand() }

// Uniform draws uniformly among all n nodes, the holder included: the complete graph of 002 Algorithm 7.2 without its
// n^2 edges.
type Uniform int

// Next implements Chooser.
func (n Uniform) Next(_ int, r *rand.Rand) int { return r.IntN(int(n)) }

// StartAt returns the uniformly drawn starting node of a seed and lane.
func StartAt(n int, seed uint64, lane step.Lane) step.NodeID {
	var s step.Stream
	return step.NodeID(s.At(seed, 0, 0, lane, step.Placement).IntN(n))
}
