package tile

import "github.com/hearsay-dp/hearsay/internal/math"

// inverted is the number of rows of a matrix that are eliminated at once.
const inverted = 128

// Invert replaces a, n x n and row-major, by its inverse, by Gauss-Jordan elimination in blocks without a search for pivots.
// Matrices whose diagonals dominate or whose symmetric part is positive have good pivots. It reports whether the result is
// finite. The caller must measure its error.
func (p *Product) Invert(a []float64, n int) bool {
	if len(a) != n*n {
		panic("tile: a matrix that is not square")
	}
	left, right := make([]float64, n*min(n, inverted)), make([]float64, n*min(n, inverted))
	pivot := make([]float64, min(n, inverted)*min(n, inverted))
	for first := 0; first < n; first += inverted {
		size := min(inverted, n-first)
		p.eliminate(a, n, first, size, left[:n*size], right[:n*size], pivot[:size*size])
	}
	for _, x := range a {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return false
		}
	}
	return true
}

// eliminate eliminates rows and columns first to first+size. Let P be the inverse of their block. The rows are multiplied by P,
// with the unit matrix in place of the block itself. From every other row it subtracts its entries in these columns times those
// rows.
func (p *Product) eliminate(a []float64, n, first, size int, left, right, pivot []float64) {
	for i := range size {
		copy(pivot[i*size:(i+1)*size], a[(first+i)*n+first:])
	}
	invertPlain(pivot, size)
	for i := range n {
		row := a[i*n+first : i*n+first+size]
		own := left[i*size : (i+1)*size]
		clear(own)
		if i < first || i >= first+size {
			for j, x := range row {
				own[j] = -x
			}
		}
		clear(row)
		if own := i - first; own >= 0 && own < size {
			row[own] = 1
		}
	}
	clear(right)
	p.Add(right, n, Factor{Data: pivot, Row: 1, Column: size}, Factor{Data: a[first*n:], Row: n, Column: 1}, size, size, n)
	copy(a[first*n:(first+size)*n], right)
	p.Add(a, n, Factor{Data: left, Row: 1, Column: size}, Factor{Data: right, Row: n, Column: 1}, size, n, n)
}

// invertPlain computes the inverse by Gauss-Jordan elimination, row by row.
func invertPlain(a []float64, n int) {
	for k := range n {
		own := a[k*n : (k+1)*n]
		scale := 1 / own[k]
		own[k] = 1
		for j := range own {
			own[j] *= scale
		}
		for i := range n {
			if i == k {
				continue
			}
			row := a[i*n : (i+1)*n]
			by := row[k]
			row[k] = 0
			for j, x := range own {
				row[j] -= float64(by * x)
			}
		}
	}
}
