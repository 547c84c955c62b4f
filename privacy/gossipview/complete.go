package gossipview

import (
	"math/rand/v2"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/exact"
	"github.com/hearsay-dp/hearsay/internal/subspace"
)

// A direction fainter than rounding is dropped, and with it every direction that it would have grown into. The
// view is then too small, and so are the leakages, however clear every decision was. The numerical rank is
// therefore trusted only if no view of such messages has a larger dimension, or if exact arithmetic finds the
// same.

// complete reports whether the view of observers, with the values of own added, provably has the numerical
// rank, on so many cells, and no larger one. It is false too if nothing was proved.
func (g *Accountant) complete(observers, own []int, cells, rank int) bool {
	if rank >= min(cells, g.mostReached(observers)) || g.fixed && rank >= g.mostHeard(observers)+len(own) {
		return true
	}
	found, ok := g.dimension(observers, own, rank+1)
	return ok && found == rank
}

// mostReached returns the number of nodes whose values have had the time to arrive.
func (g *Accountant) mostReached(observers []int) (count int) {
	for _, r := range g.reached(observers) {
		if r {
			count++
		}
	}
	return count
}

// mostHeard returns the largest possible dimension of the messages of fixed gossip: one each, except that W
// only scales the difference of twins, whatever the steps.
func (g *Accountant) mostHeard(observers []int) int {
	senders := g.heard(observers, 0)
	return g.different(senders)*(g.steps-1) + len(senders)
}

// different returns the largest number of nodes among some of which no two are twins.
func (g *Accountant) different(nodes []int) (count int) {
	for i, v := range nodes {
		if !slices.ContainsFunc(nodes[:i], func(u int) bool { return g.twins(u, v) }) {
			count++
		}
	}
	return count
}

// twins reports whether two nodes hear the same other nodes with the same weights, and treat each other and
// themselves alike. (e_u - e_v)'W is then a multiple of (e_u - e_v)'.
func (g *Accountant) twins(u, v int) bool {
	w := g.matrices[0]
	if w.At(u, u) != w.At(v, v) || w.At(u, v) != w.At(v, u) {
		return false
	}
	columns, weights := w.Row(u)
	others, theirs := w.Row(v)
	next := func(columns []int32, k int) int {
		for k < len(columns) && (int(columns[k]) == u || int(columns[k]) == v) {
			k++
		}
		return k
	}
	i, j := next(columns, 0), next(others, 0)
	for i < len(columns) && j < len(others) && columns[i] == others[j] && weights[i] == theirs[j] {
		i, j = next(columns, i+1), next(others, j+1)
	}
	return i == len(columns) && j == len(others)
}

// dimension returns the dimension of the view in exact arithmetic, modulo a prime, or enough if it is at least
// that. It reports false if the weights are not known exactly.
func (g *Accountant) dimension(observers, own []int, enough int) (int, bool) {
	if !g.exactThroughout() {
		return 0, false
	}
	if rank, ok := g.recurred(observers, own); ok {
		return rank, true
	}
	f, stretches := exact.Fields()[1], g.stretches(observers, 1)
	e, rng := exact.NewEchelon(g.n, f), rand.New(rand.NewPCG(uint64(g.n), uint64(g.steps)))
	for range enough {
		if !e.Insert(g.drawExactly(stretches, own, f, rng)) {
			break
		}
	}
	return e.Rank(), true
}

// recurred returns the dimension of fixed symmetric gossip by a recurrence. It reports false if that takes too
// long.
func (g *Accountant) recurred(observers, own []int) (int, bool) {
	p := g.parts[0]
	if !g.krylovable() {
		return 0, false
	}
	heard := g.heard(observers, 0)
	if p.small != nil {
		if rank, ok := exact.KrylovDimension(p.small, slices.Concat(heard, own), g.steps); ok {
			return rank, true
		}
	}
	found, ok := exact.KrylovUnits(p.transposed, p.residues[1], exact.Fields()[1], heard, g.steps, own, exactWork)
	return found.Rank(), ok
}

// drawExactly returns a random vector of the view, in a field: a random linear combination of all messages. As
// many of them as the view has dimensions are independent, with a failure probability of about 2^-60.
func (g *Accountant) drawExactly(stretches []subspace.Stretch, own []int, f exact.Field, rng *rand.Rand) []uint64 {
	x, room := make([]uint64, g.n), make([]uint64, g.n)
	add := func(nodes []int) {
		for _, w := range nodes {
			x[w] = f.Add(x[w], rng.Uint64N(f.Prime()))
		}
	}
	for _, s := range stretches {
		for k := range s.Factors {
			s.Factors[k].TimesExactly(x, room, f)
		}
		add(s.Heard)
	}
	add(own)
	return x
}
