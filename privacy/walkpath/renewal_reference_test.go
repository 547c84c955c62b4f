package walkpath

// changes is how much weight excursions move to an energy when they end, less
// what they move away from it, summed over the excursions of a run, at the
// k-th rate.
func (r *renewal) changes(k int, energies energySpace) []float64 {
	m, first, again := r.at(k, energies)
	if r.counts() {
		return r.capped(m, m.follow(m.direct, r.cap, 0), m.follow(m.anyhow, r.cap, 0), first, again)
	}
	return r.uncapped(m, m.anyNumber(m.direct, r.turns), first, again)
}
