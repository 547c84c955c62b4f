package walkpath

import "github.com/hearsay-dp/hearsay/internal/math"

// A renewal is the walk as the pair (u, v) sees it. The token comes to u, an excursion follows that ends at v,
// then the token comes to u again.
type renewal struct {
	turns  int       // of the run
	cap    int       // of contributions; 0: none
	arrive []float64 // law of the first visit to u; arrive[t]: in turn t
	again  []float64 // law of the time from v to u
	gapLaw
	tables   []*gapTable // one for each of rates()
	weighted []float64   // factors of the weight of a run at each rate; nil: all are 1
}

// renewalOf returns the renewal of a pair.
func (w Walk) renewalOf(u, v int) *renewal {
	return w.renewalOn(w.chainOf(u, v))
}

// renewalOn returns the renewal of a chain.
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

// smallCap is the largest cap for which contributions are counted. Above it only the length of the run limits
// them.
const smallCap = 64

// rates returns the rates of a Chernoff bound of the horizon. Turns are weighted by exp(-rate/turns), so that
// turns beyond the horizon lose weight, and those within it are charged exp(rate) times. Each rate gives a
// bound.
func (r *renewal) rates() []float64 {
	if r.counts() {
		return []float64{0, 1, 3, 9, 27}
	}
	return []float64{1, 3, 9, 27}
}

// weight returns the weight of one turn.
func (r *renewal) weight(rate float64) float64 { return math.Exp(-rate / float64(r.turns)) }

// counts reports whether contributions are counted.
func (r *renewal) counts() bool { return r.cap > 0 && r.cap <= smallCap }

// grid returns a grid for all energies that can occur. A contribution may cost more than 1 after rounding, so
// that the grid reaches further than the number of contributions.
func (r *renewal) grid() grid {
	n := float64(r.turns)
	if r.counts() {
		n = float64(r.cap)
	}
	return energyGrid(1e-4, 2*n*max(1, n/16))
}

// tails returns upper bounds of P(V >= energies[i]) for i > 0, in increasing convex order.
func (r *renewal) tails(energies grid) []float64 {
	tails := ones(len(energies))
	for _, tail := range r.tailsByRate(energies) {
		lower(tails, tail, 1)
	}
	return tails
}

// tailsByRate returns the bounds of each rate.
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

// ones returns the trivial bound of a tail.
func ones(n int) []float64 {
	tails := make([]float64, n)
	for i := range tails {
		tails[i] = 1
	}
	return tails
}

// falling returns scale times the sum of change from each point on, made monotone because the tail of a law
// never rises.
func falling(change []float64, scale float64) []float64 {
	tails, above, worst := make([]float64, len(change)), 0.0, 0.0
	for i := len(change) - 1; i >= 0; i-- {
		above += change[i]
		worst = max(worst, scale*above)
		tails[i] = worst
	}
	return tails
}

// lower replaces each tail but the first, which is the total mass, by scale times other if that is smaller. NaN
// changes nothing.
func lower(tails, other []float64, scale float64) {
	for i := range tails[1:] {
		if x := scale * other[i+1]; x < tails[i+1] {
			tails[i+1] = x
		}
	}
}

// at returns the model at the k-th rate, and the weights of coming to u for the first time and again.
func (r *renewal) at(k int, energies energySpace) (m excursionModel, first, again float64) {
	z := r.weight(r.rates()[k])
	return excursionModel{r.tables[k], energies}, sum(tilt(r.arrive, z)), sum(tilt(r.again, z))
}

// uncapped returns the changes of a run with any number of contributions, where one is the law of an excursion
// with at least one.
func (r *renewal) uncapped(m excursionModel, one []float64, first, again float64) []float64 {
	ended := make([]float64, m.energies.size())
	m.energies.convolve(ended, m.energies.repeat(one, again), one, first)
	change := make([]float64, m.energies.size())
	leaves := m.energies.mass(one)
	m.energies.put(change, 0, -first*leaves)
	accumulate(change, ended, 1-float64(again*leaves))
	return change
}
