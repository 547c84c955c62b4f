package gossipview

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/sparse"
)

// Matrix returns W_t of a round below Steps. The caller must not change it.
func (g *Accountant) Matrix(round int) *sparse.Matrix { return g.matrices[g.at(round)] }

// Changing reports whether there is one matrix a round.
func (g *Accountant) Changing() bool { return !g.fixed }

// Heard lists the nodes that the observers receive a message from in a round, in ascending order, without the
// observers.
func (g *Accountant) Heard(observers []int, round int) []int { return g.heard(observers, round) }

// Reached marks the nodes whose value has had the time to arrive at the observers, themselves included.
func (g *Accountant) Reached(observers []int) []bool { return g.reached(observers) }

// After returns the same gossip after its first rounds only, from 0 to Steps.
func (g *Accountant) After(rounds int) *Accountant {
	if rounds < 0 || rounds > g.steps {
		panic(fmt.Sprintf("privacy/gossipview: the first %d of %d rounds", rounds, g.steps))
	}
	shorter := *g
	shorter.steps = rounds
	if rounds == 0 {
		shorter.fixed = true // no matrix is looked at
	}
	return &shorter
}
