package admm

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
)

// A Step is what is known of the local step that all holders take (docs/ADMM.md):
//
//	x = prox_{gamma f}(2z - u),   u' = u + 2 lambda (x - z + eta/2),   eta of std Sigma per coordinate,
//
// with f convex and L-Lipschitz. Energies are in units of (4 lambda L gamma)^2, the square of what the data of one node can
// move one update by, whose noise is lambda Sigma: the squared shift over noise, mu^2, is the energy over the
// square of Consensus.Multiplier.
type Step struct {
	Lambda float64 // in (0, 1]; at 1/2 a new variable depends least on the old one
	// Memory in (0, 1] bounds what the proximal step passes on of a difference: gamma beta/(1 + gamma beta) where every
	// f is beta-smooth, 1 for any convex f. 0 stands for 1.
	Memory float64
	// Regularised says that z = prox_{gamma r} of the mean of the variables, for some convex r; else z is the mean.
	Regularised bool
	// Kept says that the unit bounds only what the difference of the data adds to an update, beside what the node keeps
	// of differences before, as where one record is the unit of privacy: 2 L/rows stands for 2 L then. Else an update as
	// a whole differs by a unit at most, whatever was before.
	Kept bool
	// Inexact is by how much two computed proximal points may differ beside what exact ones do: 2 tolerance/(2 L gamma)
	// for a tolerance on x, and twice as much for a record of two; 0 if they are exact.
	Inexact float64
}

func (s Step) check() error {
	switch {
	case !(s.Lambda > 0 && s.Lambda <= 1):
		return fault.New(fmt.Sprintf("ADMM with a step lambda of %g", s.Lambda), "give more than 0 and at most 1; 0.5 amplifies best")
	case !(s.Memory >= 0 && s.Memory <= 1):
		return fault.New(fmt.Sprintf("a proximal step that passes on %g of a difference", s.Memory),
			"give gamma beta/(1 + gamma beta), or 0 if losses need not be smooth")
	case !(s.Inexact >= 0 && s.Inexact < 1e9):
		return fault.New(fmt.Sprintf("a proximal step that is off by %g", s.Inexact), "give twice the tolerance over 2 L gamma, 0 or more")
	}
	return nil
}

// memory is Memory or its default.
func (s Step) memory() float64 {
	if s.Memory == 0 {
		return 1
	}
	return s.Memory
}

// A move is where an update brings the difference a of a holder's variable when that of the mean is b: to within
// spread |a - toward b| + beside |b| of keep a + drift b.
type move struct{ keep, drift, spread, toward, beside float64 }

// others is the move of a holder whose data are the same in both worlds.
func (s Step) others() move {
	l, k := s.Lambda, s.memory()
	if s.Regularised { // the difference of z is anywhere in the ball around b/2 of radius |b|/2
		return move{keep: 1 - 2*l + l*k, drift: l * (1 - k), spread: l * k, toward: 1, beside: l}
	}
	return move{keep: 1 - 2*l + l*k, drift: 2 * l * (1 - k), spread: l * k, toward: 2}
}

// own is the move of the node whose data differ, beside what they add.
func (s Step) own() move {
	if s.Kept {
		return s.others()
	}
	return s.silent()
}

// silent is the move of a node that updates without data, f = 0.
func (s Step) silent() move {
	if s.Regularised {
		return move{keep: 1 - 2*s.Lambda, drift: s.Lambda, beside: s.Lambda}
	}
	return move{keep: 1 - 2*s.Lambda, drift: 2 * s.Lambda}
}
