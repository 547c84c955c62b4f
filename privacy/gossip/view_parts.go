package gossip

import (
	"fmt"

	"hearsay/internal/linalg"
)

// Matrix is W_t of a round below Steps, borrowed.
func (g *Accountant) Matrix(round int) *linalg.Sparse { return g.matrices[g.at(round)] }

// Changing reports whether there is one matrix a round.
func (g *Accountant) Changing() bool { return !g.fixed }

// Heard lists, ascending and without the observers themselves, whom the
// observers receive a message from in a round.
func (g *Accountant) Heard(observers []int, round int) []int { return g.heard(observers, round) }

// Reached marks the nodes of whose value anything has had the time to arrive at
// the observers, themselves included.
func (g *Accountant) Reached(observers []int) []bool { return g.reached(observers) }

// After is the same gossip after its first rounds only, 0 to Steps.
func (g *Accountant) After(rounds int) *Accountant {
	if rounds < 0 || rounds > g.steps {
		panic(fmt.Sprintf("privacy/gossip: the first %d of %d rounds", rounds, g.steps))
	}
	shorter := *g
	shorter.steps = rounds
	if rounds == 0 {
		shorter.fixed = true // no matrix is looked at
	}
	return &shorter
}

// Exact elimination is what an attack is for: thorough spends up to a quarter of
// a minute on it where floating point leaves a doubt. reconstruction decides
// ranks as oneView does, and leakages only where they come for free.
var (
	thorough       = effort{always: 1 << 31, exact: 1 << 33, precise: oneView.precise}
	reconstruction = effort{always: oneView.always, exact: oneView.exact}
)

// Thorough is View, confirmed in exact arithmetic on larger graphs and after
// more rounds.
func (g *Accountant) Thorough(observers []int) (*View, error) {
	if err := g.checkNodes(observers, "observer"); err != nil {
		return nil, err
	}
	v := g.view(observers, thorough)
	if v.exact {
		return v, nil
	}
	// A matrix that is fixed and not symmetric has no other exact way.
	if form, err := g.Form(v, observers); err == nil {
		v.exact, v.units = true, form.units()
	}
	return v, nil
}

// Reconstruction is View for who is reconstructed: as exact, and faster where
// leakages would need twice the precision. Those it leaves Open.
func (g *Accountant) Reconstruction(observers []int) (*View, error) {
	if err := g.checkNodes(observers, "observer"); err != nil {
		return nil, err
	}
	return g.view(observers, reconstruction), nil
}
