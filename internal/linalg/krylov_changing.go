package linalg

// Pullback returns the span of x'm for all x in s, and of the unit vectors of
// the given indices; transposed is the transpose of m. It is one step of the
// recursion by which a view of products of changing matrices is built from the
// last matrix to the first, always on an orthonormal basis.
func (s *Span) Pullback(transposed *Sparse, indices []int) *Span {
	next := NewSpan(s.n)
	next.margin = s.margin
	next.InsertUnits(indices)
	scale := transposed.bound()
	for p, panel := range s.panels {
		if next.Full() {
			break
		}
		clear(next.room.candidates)
		transposed.ThreeTerm(next.room.candidates, panel, strip, 1/scale, 0, 0)
		next.accept(min(strip, s.rank-p*strip), 0)
	}
	return next
}

// Pullback is the same in exact arithmetic, m given by its Residues.
func (e *Echelon) Pullback(m *Sparse, residues []uint64, indices []int) *Echelon {
	next := NewEchelon(e.n, e.field)
	next.InsertUnits(indices)
	product := make([]uint64, e.n)
	for _, row := range e.rows {
		clear(product)
		for i, x := range row {
			for k := m.Offsets[i]; x != 0 && k < m.Offsets[i+1]; k++ {
				j := m.Columns[k]
				product[j] = e.field.Add(product[j], e.field.Mul(x, residues[k]))
			}
		}
		next.Insert(product)
	}
	return next
}

// Pullback is the same in twice the precision, m given by its entries in the
// order of Values. The rank of the result is known.
func (s *PreciseSpan) Pullback(m *Sparse, entries []Double, indices []int, rank int) *PreciseSpan {
	next := NewPreciseSpan(s.weights)
	next.faintest = s.faintest
	candidates := units(m.N, s.weights, indices)
	for _, x := range s.basis {
		product := make([]Double, m.N)
		for i, v := range x {
			for k := m.Offsets[i]; k < m.Offsets[i+1]; k++ {
				j := m.Columns[k]
				product[j] = product[j].Add(v.Mul(entries[k]))
			}
		}
		candidates = append(candidates, product)
	}
	next.Insert(candidates, rank)
	return next
}
