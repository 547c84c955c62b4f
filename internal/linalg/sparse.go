// Package linalg holds the linear algebra kernels that accountants and
// algorithms share: sparse matrices in compressed rows times blocks of
// vectors, and Krylov and Chebyshev methods built on them.
//
// Destinations come first, are never allocated by kernels, and a shape that
// does not fit panics.
package linalg

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

// MulBlock sets dst = m * x for a block of cols vectors stored row-major:
// x[i*cols+c] is entry i of vector c. dst and x must not overlap.
func (m *Sparse) MulBlock(dst, x []float64, cols int) {
	if len(dst) != m.N*cols || len(x) != m.N*cols {
		panic("linalg: MulBlock with a block of the wrong size")
	}
	for i := range m.N {
		out := dst[i*cols : (i+1)*cols]
		clear(out)
		columns, values := m.Row(i)
		for k, j := range columns {
			axpy(out, values[k], x[int(j)*cols:(int(j)+1)*cols])
		}
	}
}

// axpy adds a*x to dst.
func axpy(dst []float64, a float64, x []float64) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] += a * v
	}
}
