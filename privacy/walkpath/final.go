package walkpath

import "github.com/hearsay-dp/hearsay/internal/math"

// finalTails bounds P(V_last >= energies[i]), i > 0, for the energy of the excursion that the release of the
// last token ends. The bound is proportional to peak.
//
// Seen backwards from the end, the contributions of that excursion are the last visit to u and returns before
// it. The probability that u is visited in a given turn is at most peak. Runs with at least j contributions and
// given gaps therefore have at most peak times the weight of the gaps. With at most that weight, the j-th
// contribution adds its increment to the expectation of an increasing function.
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

// leaves returns 1 less the weight of a return, exp(-rate) for every turn. It is a sum of terms that are not
// negative, so that nothing cancels.
func (r *renewal) leaves(rate float64) float64 {
	total := r.rest + sum(r.hit)
	for t, p := range r.back {
		total += float64(p * -math.Expm1(-rate*float64(t)))
	}
	return total
}

// finalRate is the rate (see rates) for the last excursion. It is small, but large enough for a u that the
// token never leaves.
const finalRate = 0.1

// untouched returns, for d = 1, 2, .., peak times the probability that for d-1 turns a visit to u is followed
// by neither u nor v. It sums the probabilities of all later visits from the end, so that small ones are not
// lost.
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

// peakOf returns the largest probability that u is visited in a turn.
func (w Walk) peakOf(u, v int) float64 { return w.chainOf(u, v).peak(w.Turns) }

// peak returns the largest probability that u is visited in one of so many turns.
func (c *chain) peak(turns int) float64 {
	peak := c.start[atU]
	for range turns - 1 {
		c.burn(1)
		peak = max(peak, c.start[atU])
	}
	return peak
}

// together returns the law of the sum of two energies on one grid, given only their tails. It couples them
// comonotonically, which gives the largest expectation of every convex function over all dependences.
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
