package gossipview

import (
	"slices"

	"github.com/hearsay-dp/hearsay/internal/exact"
	"github.com/hearsay-dp/hearsay/internal/parallel"
)

// reconstruction decides as little as oneView allows, because the reconstructed nodes are found in another way.
// exactWork bounds that way, in multiplications.
var reconstruction = effort{always: 1 << 24, exact: 1 << 24}

const exactWork = 1 << 33

// Thorough returns View, with the rank and the reconstructed nodes confirmed in exact arithmetic on larger
// graphs and after more rounds than View does.
func (g *Accountant) Thorough(observers []int) (*View, error) {
	v, err := g.View(observers)
	if err == nil && !v.exact {
		g.settle(v, observers)
	}
	return v, err
}

// Reconstruction returns Thorough for the reconstructed nodes only. It is faster where leakages would need 72
// digits, and leaves those Open.
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

// leaking decides the reconstructed nodes as reconstruction does, and leakages as allPairs does.
var leaking = effort{always: reconstruction.always, exact: allPairs.exact, precise: allPairs.precise}

// Leaking returns Reconstruction with leakages decided as Leakage decides those of all pairs, so that one view
// serves both.
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

// settle decides rank and units of a view in exact arithmetic, modulo both primes of exact.Fields, unless that
// takes too long.
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

// recurrence computes, for fixed symmetric gossip, the number of directions that each power adds, and the cells
// of which the view holds all functions. It reports false unless both fields agree.
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

// correct applies an exact rank to a view. If the rank is the number of cells, leakages are exact too.
// Floating-point leakages of another rank are discarded, unless they are upper bounds.
func (g *Accountant) correct(v *View, observers []int, rank int, units []int) {
	switch {
	case rank == len(v.cells.Size):
		v.certainty, v.space = Confirmed, everything{}
	case rank != v.rank && v.certainty != Saturated:
		v.certainty, v.reached = Open, g.reached(observers)
	}
	v.exact, v.rank, v.units = true, rank, units
}

// sharedUnits lists the cells whose whole projector lies in the view, for which size x share is 1. It reports
// false unless both fields agree.
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
