// Package linalg holds the linear algebra kernels that accountants and
// algorithms share: sparse matrices in compressed rows times blocks of
// vectors, and Krylov and Chebyshev methods built on them.
//
// Destinations come first, are never allocated by kernels, and a shape that
// does not fit panics. A result never depends on the number of workers or on
// the processor: products are rounded before they are added, everywhere.
package linalg

import "math"

// Sparse is an n x n matrix in compressed rows. Row i holds
// Values[Offsets[i]:Offsets[i+1]] at Columns[Offsets[i]:Offsets[i+1]], columns
// ascending.
type Sparse struct {
	N       int
	Offsets []int
	Columns []int32
	Values  []float64
}

// Row returns the columns and values of row i, borrowed.
func (m *Sparse) Row(i int) ([]int32, []float64) {
	lo, hi := m.Offsets[i], m.Offsets[i+1]
	return m.Columns[lo:hi], m.Values[lo:hi]
}

// At returns entry (i, j) by bisection.
func (m *Sparse) At(i, j int) float64 {
	columns, values := m.Row(i)
	lo, hi := 0, len(columns)
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if columns[mid] < int32(j) {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(columns) && columns[lo] == int32(j) {
		return values[lo]
	}
	return 0
}

// Transpose returns a new matrix with rows and columns exchanged.
func (m *Sparse) Transpose() *Sparse {
	t := &Sparse{
		N:       m.N,
		Offsets: make([]int, m.N+1),
		Columns: make([]int32, len(m.Columns)),
		Values:  make([]float64, len(m.Values)),
	}
	for _, j := range m.Columns {
		t.Offsets[j+1]++
	}
	for i := range m.N {
		t.Offsets[i+1] += t.Offsets[i]
	}
	next := append([]int(nil), t.Offsets[:m.N]...)
	for i := range m.N {
		columns, values := m.Row(i)
		for k, j := range columns {
			t.Columns[next[j]], t.Values[next[j]] = int32(i), values[k]
			next[j]++
		}
	}
	return t
}

// Symmetric reports whether every entry differs from its mirror image by at
// most tol.
func (m *Sparse) Symmetric(tol float64) bool {
	for i := range m.N {
		columns, values := m.Row(i)
		for k, j := range columns {
			if math.Abs(values[k]-m.At(int(j), i)) > tol {
				return false
			}
		}
	}
	return true
}
