package admmview

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// A Step describes the local step that all holders take (docs/ADMM.md):
//
//	x = prox_{gamma (f + L2/2 |.|^2)}(2z - u),   u' = u + 2 lambda (x - z + eta/2),   eta of std Sigma per coordinate,
//
// with f convex and L-Lipschitz. The unit of energy is the square of the largest change of one update by the data of one
// node, 4 lambda L gamma (gamma/(1 + gamma L2) with a penalty). The noise of an update is lambda Sigma. So the squared
// shift over noise, mu^2, is the energy over the square of Consensus.Multiplier.
type Step struct {
	Lambda float64 // in (0, 1]; at 1/2 a new variable depends least on the old one
	// Shrink is 1/(1 + gamma L2), 1 without a penalty; 0 stands for 1.
	Shrink float64
	// Memory in (0, 1] bounds the part of a difference that the proximal step of f passes on: g beta/(1 + g beta), g =
	// gamma Shrink, if every f is beta-smooth, and 1 for any convex f. 0 stands for 1.
	Memory float64
	// Regularised says that z = prox_{gamma r} of the mean of the variables, for some convex r. Without it z is the mean.
	Regularised bool
	// Kept says that the unit bounds only the part of an update that the difference of the data adds, beside the part that
	// the node keeps of earlier differences. That is so if one record is the unit of privacy, and 2 L/rows then stands for
	// 2 L. Without Kept an update as a whole differs by at most a unit, whatever came before.
	Kept bool
	// Inexact bounds the distance of two computed proximal points beyond that of exact ones: 2 tolerance/(2 L gamma) for a
	// tolerance on x, and twice as much if the unit is a record. 0 means that they are exact.
	Inexact float64

	Source   string // why every local objective is convex and L-Lipschitz; "": the caller asserts it
	Asserted string // the part of that which nobody has checked, one sentence; "": nothing
}

func (s Step) check() error {
	switch {
	case !(s.Lambda > 0 && s.Lambda <= 1):
		return fault.New(fmt.Sprintf("ADMM with a step lambda of %g", s.Lambda), "give more than 0 and at most 1; 0.5 amplifies best")
	case !(s.Shrink >= 0 && s.Shrink <= 1):
		return fault.New(fmt.Sprintf("a penalty that shrinks by %g", s.Shrink), "give 1/(1 + gamma L2), or 0 without a penalty")
	case !(s.Memory >= 0 && s.Memory <= 1):
		return fault.New(fmt.Sprintf("a proximal step that passes on %g of a difference", s.Memory),
			"give gamma beta/(1 + gamma beta), or 0 if losses need not be smooth")
	case !(s.Inexact >= 0 && s.Inexact < 1e9):
		return fault.New(fmt.Sprintf("a proximal step that is off by %g", s.Inexact), "give twice the tolerance over 2 L gamma, 0 or more")
	}
	return nil
}

// ratio returns x, or 1 if x is 0.
func ratio(x float64) float64 {
	if x == 0 {
		return 1
	}
	return x
}

// A move says how an update maps the difference a of a holder's variable if the mean differs by b: to within spread |a -
// toward b| + beside |b| of keep a + drift b.
type move struct{ keep, drift, spread, toward, beside float64 }

// passing returns the move of a proximal step under which a difference d of 2z - u moves x to within spread |d|/2 of
// (shrink - spread/2) d.
func (s Step) passing(shrink, spread float64) move {
	l, c := s.Lambda, shrink-float64(spread/2)
	m := move{keep: 1 - float64(2*l*c), drift: 2 * l * (float64(2*c) - 1), spread: float64(l * spread), toward: 2}
	if s.Regularised { // the difference of z is anywhere in the ball around b/2 of radius |b|/2
		m.drift, m.toward, m.beside = float64(m.drift/2), 1, float64(math.Abs(m.drift)/2)+m.spread
	}
	return m
}

// others returns the move of a holder whose data are the same in both worlds.
func (s Step) others() move {
	shrink := ratio(s.Shrink)
	return s.passing(shrink, shrink*ratio(s.Memory))
}

// silent returns the move of a node that updates without data, f = 0.
func (s Step) silent() move { return s.passing(ratio(s.Shrink), 0) }

// own returns the move of the node whose data differ, without its contribution.
func (s Step) own() move {
	if s.Kept {
		return s.others()
	}
	return s.silent()
}
