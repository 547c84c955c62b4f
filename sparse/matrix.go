// Package sparse holds sparse matrices in compressed rows, their products with
// blocks of vectors, and products of vectors.
//
// Destinations come first and are never allocated by kernels. A shape that does not fit panics. A result never
// depends on the number of workers or on the processor, because products are always rounded before they are
// added.
package sparse

import "github.com/hearsay-dp/hearsay/internal/math"

// A Matrix is an n x n matrix in compressed rows. Row i holds
// Values[Offsets[i]:Offsets[i+1]] at Columns[Offsets[i]:Offsets[i+1]], columns
// ascending.
type Matrix struct {
	N       int
	Offsets []int
	Columns []int32
	Values  []float64
}

// FromDense returns the matrix of n x n entries, row-major, without the zeros.
func FromDense(n int, dense []float64) *Matrix {
	if len(dense) != n*n {
		panic("sparse: the entries are not n x n")
	}
	m := &Matrix{N: n, Offsets: make([]int, n+1)}
	for i := range n {
		for j := range n {
			if v := dense[i*n+j]; v != 0 {
				m.Columns, m.Values = append(m.Columns, int32(j)), append(m.Values, v)
			}
		}
		m.Offsets[i+1] = len(m.Columns)
	}
	return m
}

// Row returns the columns and values of row i, which the caller must not change.
func (m *Matrix) Row(i int) ([]int32, []float64) {
	lo, hi := m.Offsets[i], m.Offsets[i+1]
	return m.Columns[lo:hi], m.Values[lo:hi]
}

// At returns entry (i, j) by bisection.
func (m *Matrix) At(i, j int) float64 {
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
func (m *Matrix) Transpose() *Matrix {
	t := &Matrix{
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
func (m *Matrix) Symmetric(tol float64) bool {
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

// NormBound returns an upper bound of the norm: the largest sum of absolute values of a row or of a column. It
// returns 1 for a matrix of zeros.
func (m *Matrix) NormBound() float64 {
	largest, columns := 0.0, make([]float64, m.N)
	for i := range m.N {
		sum := 0.0
		indices, values := m.Row(i)
		for k, j := range indices {
			sum += math.Abs(values[k])
			columns[j] += math.Abs(values[k])
		}
		largest = max(largest, sum)
	}
	for _, sum := range columns {
		largest = max(largest, sum)
	}
	if largest == 0 {
		return 1
	}
	return largest
}

// An Operator is a linear map of vectors of Len() entries. Mul sets dst = A x;
// the two do not overlap.
type Operator interface {
	Len() int
	Mul(dst, x []float64)
}
