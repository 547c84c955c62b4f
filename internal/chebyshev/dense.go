package chebyshev

import (
	"github.com/hearsay-dp/hearsay/sparse"
)

// snap returns 0 for a gap that cannot be distinguished from 0 because of rounding in a matrix of order n.
func snap(gap float64, n int) float64 {
	if gap < float64(n)*0x1p-52 {
		return 0
	}
	return gap
}

// DenseGapFunction sets dst, n x n row-major, to f(I - M) for a symmetric M by a dense eigendecomposition. It takes time
// O(n^3), and serves small n and functions that no polynomial fits. It reports false if the decomposition fails.
func DenseGapFunction(dst []float64, m *sparse.Matrix, f func(gap float64) float64) bool {
	n := m.N
	if len(dst) != n*n {
		panic("chebyshev: the destination is not n x n")
	}
	laplacian := make([][]float64, n)
	for i := range laplacian {
		laplacian[i] = make([]float64, n)
		columns, values := m.Row(i)
		for k, j := range columns {
			laplacian[i][j] = -values[k]
		}
		laplacian[i][i]++
	}
	gaps, vectors, ok := symmetricPairs(laplacian)
	clear(dst)
	for k, gap := range gaps {
		value := f(snap(gap, n))
		for i, x := range vectors[k] {
			sparse.Axpy(dst[i*n:(i+1)*n], float64(value*x), vectors[k])
		}
	}
	return ok
}
