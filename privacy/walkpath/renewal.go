package walkpath

import "github.com/hearsay-dp/hearsay/internal/math"

// A renewal is the walk as the pair (u, v) sees it: the token comes to u, an
// excursion follows that ends at v, then the token comes to u again.
type renewal struct {
	turns  int       // of the run
	cap    int       // contributions, 0: none
	arrive []float64 // law of the first visit to u; arrive[t]: in turn t
	again  []float64 // law of the time from v to u
	gapLaw
	tables   []*gapTable // one for each of rates()
	weighted []float64   // what the weight of a run is to be multiplied by at each rate; nil: nothing
}

// renewalOf computes the laws of a pair.
func (w Walk) renewalOf(u, v int) *renewal {
	return w.renewalOn(w.chainOf(u, v))
}

// renewalOn is renewalOf on a chain.
func (w Walk) renewalOn(c *chain) *renewal {
	laws, rest := c.passages(w.Turns-1, []passage{
		{c.at(atU), []int{atU, atV}}, {c.at(atV), []int{atU}}, c.arriving(),
	})
	r := &renewal{turns: w.Turns, cap: w.Cap, gapLaw: gapLaw{back: laws[0][0], hit: laws[0][1], rest: rest[0]}, again: laws[1][0], arrive: laws[2][0]}
	r.arrive[0] = c.start[atU]
	r.tabulate()
	return r
}

// tabulate prepares the gap laws for the dynamic programme.
func (r *renewal) tabulate() {
	distances := gapGrid(max(1, r.turns-1), 0.12)
	for _, rate := range r.rates() {
		r.tables = append(r.tables, newGapTable(r.gapLaw, distances, r.weight(rate), r.turns))
	}
}

// smallCap is the largest cap that the count of contributions is carried for;
// above it the length of the run alone limits them.
const smallCap = 64

// rates are the ways to account for the horizon: turns are weighted by
// exp(-rate/turns), so that what lies beyond loses weight, and what lies within
// is charged exp(rate) times (Chernoff). Each is a bound.
func (r *renewal) rates() []float64 {
	if r.counts() {
		return []float64{0, 1, 3, 9, 27}
	}
	return []float64{1, 3, 9, 27}
}

// weight is that of one turn.
func (r *renewal) weight(rate float64) float64 { return math.Exp(-rate / float64(r.turns)) }

// counts reports whether contributions are counted.
func (r *renewal) counts() bool { return r.cap > 0 && r.cap <= smallCap }

// grid is one that holds all energies that can come up: those of
// contributions, which after rounding may cost more than the 1 they cost alone.
func (r *renewal) grid() grid {
	n := float64(r.turns)
	if r.counts() {
		n = float64(r.cap)
	}
	return energyGrid(1e-4, 2*n*max(1, n/16))
}

// tails bounds P(V >= energies[i]) for i > 0, in increasing convex order.
func (r *renewal) tails(energies grid) []float64 {
	tails := ones(len(energies))
	for _, tail := range r.tailsByRate(energies) {
		lower(tails, tail, 1)
	}
	return tails
}

// tailsByRate are the bounds that each rate gives.
func (r *renewal) tailsByRate(energies grid) [][]float64 {
	var list []lane
	most, enough := min(r.turns, manyEnough), fewEnough
	for _, table := range r.tables {
		list = append(list, lane{table, table.direct})
	}
	if r.counts() {
		for _, table := range r.tables {
			list = append(list, lane{table, table.anyhow})
		}
		most, enough = r.cap, 0
	}
	laws := followTogether(energies, list, most, enough)
	tails := make([][]float64, len(r.tables))
	for k, rate := range r.rates() {
		m, first, again := r.at(k, energies)
		var change []float64
		if r.counts() {
			change = r.capped(m, laws[k], laws[k+len(tails)], first, again)
		} else {
			change = r.uncapped(m, m.ofAnyNumber(laws[k], r.turns), first, again)
		}
		tails[k] = falling(change, math.Exp(rate))
	}
	return tails
}

// ones is the tail of which nothing is known.
func ones(n int) []float64 {
	tails := make([]float64, n)
	for i := range tails {
		tails[i] = 1
	}
	return tails
}

// falling is scale times the sum of change from each point on, and no less than
// later: the tail of a law never rises.
func falling(change []float64, scale float64) []float64 {
	tails, above, worst := make([]float64, len(change)), 0.0, 0.0
	for i := len(change) - 1; i >= 0; i-- {
		above += change[i]
		worst = max(worst, scale*above)
		tails[i] = worst
	}
	return tails
}

// lower keeps the smaller of each tail and scale times another, but for the
// first, which is all there is. What is no number says nothing.
func lower(tails, other []float64, scale float64) {
	for i := range tails[1:] {
		if x := scale * other[i+1]; x < tails[i+1] {
			tails[i+1] = x
		}
	}
}

// at is the model at the k-th rate, and the weights of coming to u for the first
// time and again.
func (r *renewal) at(k int, energies energySpace) (m excursionModel, first, again float64) {
	z := r.weight(r.rates()[k])
	return excursionModel{r.tables[k], energies}, sum(tilt(r.arrive, z)), sum(tilt(r.again, z))
}

// uncapped are the changes of a run of any number of contributions, where one is
// the law of an excursion with some.
func (r *renewal) uncapped(m excursionModel, one []float64, first, again float64) []float64 {
	ended := make([]float64, m.energies.size())
	m.energies.convolve(ended, m.energies.repeat(one, again), one, first)
	change := make([]float64, m.energies.size())
	leaves := m.energies.mass(one)
	m.energies.put(change, 0, -first*leaves)
	accumulate(change, ended, 1-float64(again*leaves))
	return change
}
