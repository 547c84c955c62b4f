package gradientinversion

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// leastSquares minimises |A X - B|^2 + noise^2 |X|^2. It orthogonalises A with noise times the identity below it, so that
// singular values are not squared.
type leastSquares struct {
	q      *mat.Dense // orthonormal columns, of both parts
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

// along returns A's part of q.
func (s *leastSquares) along() *mat.Dense {
	_, n := s.q.Dims()
	return s.q.Slice(0, s.height, 0, n).(*mat.Dense)
}

// solve returns X, row after row.
func (s *leastSquares) solve(b *mat.Dense) []float64 {
	var x mat.Dense
	x.Mul(s.along().T(), b)
	s.back(&x)
	return x.RawMatrix().Data
}

// back multiplies x by the inverse of r.
func (s *leastSquares) back(x *mat.Dense) {
	blas64.Trsm(blas.Left, blas.NoTrans, 1, s.r, x.RawMatrix())
}

// inverse returns the inverse of the normal matrix.
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

// project returns the part of columns b, with zeros below, that A and the part below it do not span, and the solution X for
// b.
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
