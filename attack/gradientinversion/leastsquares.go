package gradientinversion

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// leastSquares solves for rows of numbers X with A X near B and X near 0, which counts noise squared as much. It works with
// A and noise times the unit matrix below it, orthogonalised, so that weak directions are not squared.
type leastSquares struct {
	q      *mat.Dense // orthonormal columns, of both
	r      blas64.Triangular
	height int // of A
}

func newLeastSquares(a *mat.Dense, noise float64) *leastSquares {
	m, n := a.Dims()
	q := mat.NewDense(m+n, n, nil)
	q.Copy(a)
	for i := range n {
		q.Set(m+i, i, noise)
	}
	raw := q.RawMatrix()
	tau, size := make([]float64, n), make([]float64, 1)
	lapack64.Geqrf(raw, tau, size, -1)
	work := make([]float64, max(int(size[0]), n*64))
	lapack64.Geqrf(raw, tau, work, len(work))
	r := make([]float64, n*n)
	for i := range n {
		copy(r[i*n+i:(i+1)*n], q.RawRowView(i)[i:])
	}
	lapack64.Orgqr(raw, tau, work, len(work))
	return &leastSquares{q: q, r: blas64.Triangular{Uplo: blas.Upper, Diag: blas.NonUnit, N: n, Data: r, Stride: n}, height: m}
}

// along is A's part of q.
func (s *leastSquares) along() *mat.Dense {
	_, n := s.q.Dims()
	return s.q.Slice(0, s.height, 0, n).(*mat.Dense)
}

// solve is X, row after row.
func (s *leastSquares) solve(b *mat.Dense) []float64 {
	var x mat.Dense
	x.Mul(s.along().T(), b)
	s.back(&x)
	return x.RawMatrix().Data
}

// back undoes r.
func (s *leastSquares) back(x *mat.Dense) {
	blas64.Trsm(blas.Left, blas.NoTrans, 1, s.r, x.RawMatrix())
}

// inverse is that of the normal matrix.
func (s *leastSquares) inverse() *mat.Dense {
	_, n := s.q.Dims()
	x := mat.NewDense(n, n, nil)
	for i := range n {
		x.Set(i, i, 1)
	}
	blas64.Trsm(blas.Left, blas.Trans, 1, s.r, x.RawMatrix())
	s.back(x)
	return x
}

// project is what columns b, zeros below them, hold that A and what is below it do not span, and how X follows them.
func (s *leastSquares) project(b *mat.Dense, workers int) (left, follow *mat.Dense) {
	height, n := s.q.Dims()
	_, count := b.Dims()
	follow = mat.NewDense(n, count, nil)
	addProduct(follow, columns(s.along()), columns(b), s.height, false, workers)
	left = mat.NewDense(height, count, nil)
	addProduct(left, rows(s.q), columns(follow), n, false, workers)
	scale(left.RawMatrix().Data, -1)
	for i := range s.height {
		row := left.RawRowView(i)
		for j, x := range b.RawRowView(i) {
			row[j] += x
		}
	}
	s.back(follow)
	return left, follow
}
