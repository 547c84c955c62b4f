package chebyshev

import (
	"github.com/hearsay-dp/hearsay/sparse"
	"gonum.org/v1/gonum/mat"
)

// snap returns 0 for a gap that rounding, in a matrix of order n, cannot tell
// from 0.
func snap(gap float64, n int) float64 {
	if gap < float64(n)*0x1p-52 {
		return 0
	}
	return gap
}

// DenseGapFunction sets dst, n x n row-major, to f(I - M) for a symmetric M by
// a dense eigendecomposition: time O(n^3), for small n and for what a
// polynomial cannot do. It reports false when the decomposition fails.
func DenseGapFunction(dst []float64, m *sparse.Matrix, f func(gap float64) float64) bool {
	n := m.N
	if len(dst) != n*n {
		panic("chebyshev: the destination is not n x n")
	}
	laplacian := mat.NewSymDense(n, nil)
	for i := range n {
		columns, values := m.Row(i)
		for k, j := range columns {
			if int(j) >= i {
				laplacian.SetSym(i, int(j), -values[k])
			}
		}
		laplacian.SetSym(i, i, 1+laplacian.At(i, i))
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(laplacian, true) {
		return false
	}
	var left, right mat.Dense
	eigen.VectorsTo(&right)
	left.CloneFrom(&right)
	gaps := eigen.Values(nil)
	left.Apply(func(_, k int, v float64) float64 { return v * f(snap(gaps[k], n)) }, &left)
	mat.NewDense(n, n, dst).Mul(&left, right.T())
	return true
}
