package walkpath

// capped returns the changes of the law of a run in which u contributes r.cap times. closed are the laws of
// excursions that v closes, last those of the last excursion.
func (r *renewal) capped(m excursionModel, closed, last [][]float64, first, again float64) []float64 {
	energies, size := m.energies, m.energies.size()
	slab := make([]float64, (r.cap+1)*size) // for each n, the law of V when an excursion ends and n contributions are made
	ended := func(n int) []float64 { return slab[n*size : (n+1)*size] }
	energies.put(ended(0), 0, 1)
	change, add, excursions, leaving := make([]float64, size), energies.adder(), joined(closed), m.leaving(closed)
	back := first
	for used := range r.cap {
		left := r.cap - used
		most := max(0, min(left, len(closed))-1) // contributions of an excursion after which u may still contribute
		add(slab[(used+1)*size:], ended(used), excursions[:most*size], back)
		leaves := leaving[most]
		if left < len(last) {
			add(ended(r.cap), ended(used), last[left], back)
			leaves += energies.mass(last[left])
		}
		accumulate(change, ended(used), -back*leaves)
		accumulate(change, ended(used+1), 1)
		back = again
	}
	return change
}

// joined returns all laws but the first, one after the other.
func joined(laws [][]float64) (slab []float64) {
	for k, law := range laws {
		if k > 0 {
			slab = append(slab, law...)
		}
	}
	return slab
}

// leaving returns in sums[k] the mass of laws[1] to laws[k].
func (m excursionModel) leaving(laws [][]float64) []float64 {
	sums := make([]float64, max(1, len(laws)))
	for k := 1; k < len(laws); k++ {
		sums[k] = sums[k-1] + m.energies.mass(laws[k])
	}
	return sums
}
