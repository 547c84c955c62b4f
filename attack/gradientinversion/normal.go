package gradientinversion

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/hearsay-dp/hearsay/sparse"
)

// A normal holds the normal equations of steps of the slopes, and their factors.
type normal struct {
	matrix  *mat.Dense // on and right of its diagonal
	noise   float64
	project *mat.Dense // derivative of sums, and of examples below, by slopes times z, when examples follow
	units   *mat.Dense // for each slope: its z, in units of the belief
	stays   *mat.Dense // derivative of the penalty terms, over the pull
}

// residual returns the residual of a step of the slopes at s. Its first rows are the residuals of sums and the distances of
// examples from home, over the noise. The distances of slopes from the protocol's follow, over the pull.
func (l *lifting) residual(s *stand) []float64 {
	r := slices.Clone(s.missed.RawMatrix().Data)
	scale(r, 1/s.noise)
	for i, x := range s.e {
		r = append(r, l.home[i]-x)
	}
	for _, x := range s.off {
		r = append(r, x/s.pull)
	}
	return r
}

// split splits a residual into the part of sums and examples, and that of slopes.
func (n *normal) split(r []float64) (sums *mat.Dense, off []float64) {
	rows, _ := n.project.Dims()
	_, dim := n.units.Dims()
	return mat.NewDense(rows, dim, r[:rows*dim]), r[rows*dim:]
}

// moves returns the reduction of a residual by a step v.
func (n *normal) moves(v []float64) []float64 {
	rows, _ := n.project.Dims()
	_, dim := n.units.Dims()
	by := mat.NewDense(len(v), dim, nil)
	for i, x := range v {
		sparse.Axpy(by.RawRowView(i), x/n.noise, n.units.RawRowView(i))
	}
	r := make([]float64, rows*dim+len(v))
	sums, off := n.split(r)
	sums.Mul(n.project, by)
	mat.NewVecDense(len(v), off).MulVec(n.stays, mat.NewVecDense(len(v), v))
	return r
}

// force returns the transpose of moves times r.
func (n *normal) force(r []float64) []float64 {
	var felt mat.Dense
	sums, off := n.split(r)
	felt.Mul(n.project.T(), sums)
	f := make([]float64, len(off))
	mat.NewVecDense(len(f), f).MulVec(n.stays.T(), mat.NewVecDense(len(f), off))
	for i := range f {
		f[i] += sparse.Dot(felt.RawRowView(i), n.units.RawRowView(i)) / n.noise
	}
	return f
}

// factor factorises about the matrix, with damp on its diagonal. It returns nil if the matrix is not positive definite in floating
// point.
func (n *normal) factor(damp float64) *mat.Cholesky {
	size, _ := n.matrix.Dims()
	damp += float64(slack / float64(size) * mat.Trace(n.matrix))
	m := mat.NewSymDense(size, slices.Clone(n.matrix.RawMatrix().Data))
	for i := range size {
		m.SetSym(i, i, m.At(i, i)+damp)
	}
	var c mat.Cholesky
	if !c.Factorize(m) {
		return nil
	}
	return &c
}
