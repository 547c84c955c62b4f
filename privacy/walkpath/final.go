package walkpath

import "github.com/hearsay-dp/hearsay/internal/math"

// finalTails bounds P(V_last >= energies[i]), i > 0, for the energy of the
// excursion that the release of the last token ends; it is in proportion to peak.
//
// Its contributions, seen backwards from the end, are the last visit to u and
// returns before it. That u is visited in a given turn has at most probability
// peak, so runs with at least j of them and given gaps have at most peak times
// the weight of the gaps, and the j-th adds what it adds to the expectation of
// an increasing function with at most that weight.
func (r *renewal) finalTails(energies grid, peak float64) []float64 {
	z := r.weight(finalRate)
	table := newGapTable(r.gapLaw, r.tables[0].gaps, z, r.turns)
	last := make([]float64, len(table.gaps))
	table.gaps.spread(last, 0, tilt(r.untouched(peak), z))
	change := excursionModel{table, energies}.anyNumber(last, math.MaxInt)
	leaves := r.leaves(finalRate / float64(r.turns))
	for i := range change {
		change[i] *= leaves
	}
	return falling(change, math.Exp(finalRate))
}

// leaves is 1 less the weight of a return, exp(-rate) for every turn: a sum of
// what is not negative, so that nothing cancels.
func (r *renewal) leaves(rate float64) float64 {
	total := r.rest + sum(r.hit)
	for t, p := range r.back {
		total += float64(p * -math.Expm1(-rate*float64(t)))
	}
	return total
}

// finalRate is the rate (see rates) at which the last excursion is followed:
// little, but enough for a u that the token never leaves.
const finalRate = 0.1

// untouched is peak times the probability that for d-1 turns, d = 1, 2, .., a
// visit to u is followed by neither u nor v: all that comes later, summed from
// the end, so that none of it is lost.
func (r *renewal) untouched(peak float64) []float64 {
	law, left := make([]float64, r.turns+1), r.rest
	for d := r.turns; d >= 1; d-- {
		law[d] = peak * min(1, left)
		if d-1 < len(r.back) {
			left += r.back[d-1] + r.hit[d-1]
		}
	}
	return law
}

// peakOf is the largest probability that u is visited in a turn.
func (w Walk) peakOf(u, v int) float64 { return w.chainOf(u, v).peak(w.Turns) }

// peak is the largest probability that u is visited in one of so many turns.
func (c *chain) peak(turns int) float64 {
	peak := c.start[atU]
	for range turns - 1 {
		c.burn(1)
		peak = max(peak, c.start[atU])
	}
	return peak
}

// together is the law of the sum of two energies on one grid of which only the
// tails are known: of all ways to depend on each other, growing together gives
// the largest expectation of every convex function.
func together(energies grid, a, b []float64) (sums, weights []float64) {
	i, j, level := len(a)-1, len(b)-1, 0.0
	for i >= 0 && j >= 0 {
		next := math.Min(a[i], b[j])
		if next > level {
			sums, weights = append(sums, energies[i]+energies[j]), append(weights, next-level)
			level = next
		}
		if a[i] <= next {
			i--
		}
		if j >= 0 && b[j] <= next {
			j--
		}
	}
	return sums, weights
}
