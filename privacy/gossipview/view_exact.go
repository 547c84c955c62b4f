package gossipview

import (
	"slices"

	"github.com/hearsay-dp/hearsay/internal/exact"
	"github.com/hearsay-dp/hearsay/internal/parallel"
)

// reconstruction decides as little as oneView as can be: who is reconstructed is
// found in another way. exactWork bounds that way, in multiplications.
var reconstruction = effort{always: 1 << 24, exact: 1 << 24}

const exactWork = 1 << 33

// Thorough is View, with the rank and who is reconstructed confirmed in exact
// arithmetic on larger graphs and after more rounds.
func (g *Accountant) Thorough(observers []int) (*View, error) {
	v, err := g.View(observers)
	if err == nil && !v.exact {
		g.settle(v, observers)
	}
	return v, err
}

// Reconstruction is Thorough for who is reconstructed only: faster where
// leakages would need 72 digits. Those it leaves Open.
func (g *Accountant) Reconstruction(observers []int) (*View, error) {
	if err := g.checkNodes(observers, "observer"); err != nil {
		return nil, err
	}
	v := g.view(observers, reconstruction)
	if !v.exact {
		g.settle(v, observers)
	}
	return v, nil
}

// leaking decides who is reconstructed as reconstruction does, and leakages as those of all pairs are.
var leaking = effort{always: reconstruction.always, exact: allPairs.exact, precise: allPairs.precise}

// Leaking is Reconstruction whose leakages are decided as Leakage decides those of all pairs: one view for both.
func (g *Accountant) Leaking(observers []int) (*View, error) {
	if err := g.checkNodes(observers, "observer"); err != nil {
		return nil, err
	}
	v := g.view(observers, leaking)
	if !v.exact {
		g.settle(v, observers)
	}
	return v, nil
}

// settle decides rank and units of a view in exact arithmetic, modulo both
// primes of exact.Fields, if that does not take too long.
func (g *Accountant) settle(v *View, observers []int) {
	if !g.krylovable() {
		if form, err := g.Form(v, observers); err == nil {
			v.exact, v.units = true, form.units()
		}
		return
	}
	if !g.exactThroughout() {
		return
	}
	if profile, units, ok := g.recurrence(observers, v.cells); ok {
		g.correct(v, observers, profile.Rank(), units)
	}
}

// recurrence finds, of fixed symmetric gossip, how many directions each power adds, and the cells all of whose
// functions the view holds. Both fields must say the same.
func (g *Accountant) recurrence(observers []int, cells *exact.Cells) (profile exact.Profile, units []int, ok bool) {
	var found [2]exact.Units
	var each [2]bool
	parallel.Each(2, 2, func(i int) {
		p := g.parts[0]
		found[i], each[i] = exact.KrylovUnits(p.transposed, p.residues[i], exact.Fields()[i], g.heard(observers, 0), g.steps, observers, exactWork)
	})
	profile = found[0].Profile
	if !each[0] || !each[1] || profile.Extra != found[1].Extra || !slices.Equal(profile.Powers, found[1].Powers) {
		return exact.Profile{}, nil, false
	}
	units, ok = sharedUnits(cells, found)
	return profile, units, ok
}

// correct takes over an exact rank. If it is the number of cells, leakages are
// exact too; those in floating point of another rank are worth nothing, unless
// they are bounds.
func (g *Accountant) correct(v *View, observers []int, rank int, units []int) {
	switch {
	case rank == len(v.cells.Size):
		v.certainty, v.space = Confirmed, everything{}
	case rank != v.rank && v.certainty != Saturated:
		v.certainty, v.reached = Open, g.reached(observers)
	}
	v.exact, v.rank, v.units = true, rank, units
}

// sharedUnits lists the cells all of whose projector lies in the view: of which
// size x share is 1. Both fields must say so of the same cells.
func sharedUnits(cells *exact.Cells, found [2]exact.Units) (units []int, agreed bool) {
	for cell, u := range cells.First {
		var known [2]bool
		for i, f := range exact.Fields() {
			known[i] = f.Mul(uint64(cells.Size[cell]), found[i].Share[u]) == 1
		}
		if known[0] != known[1] {
			return nil, false
		}
		if known[0] {
			units = append(units, cell)
		}
	}
	return units, true
}
