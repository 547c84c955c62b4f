package gradientinversion

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/hearsay-dp/hearsay/sparse"
)

// A normal is the normal equations of steps of the slopes, and their factors.
type normal struct {
	matrix  *mat.Dense // right of its diagonal
	noise   float64
	project *mat.Dense // how sums, and examples below, move with slopes times z, once examples follow
	units   *mat.Dense // for each slope: its z, in units of the belief
	stays   *mat.Dense // over the pull
}

// residual is what a step of the slopes is to make small at s: what is left of sums, and how far examples are from home, a row for each, over the
// noise, and after these how far slopes are off, over the pull.
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

// split is a residual in two parts: that of sums and examples, and that of slopes.
func (n *normal) split(r []float64) (sums *mat.Dense, off []float64) {
	rows, _ := n.project.Dims()
	_, dim := n.units.Dims()
	return mat.NewDense(rows, dim, r[:rows*dim]), r[rows*dim:]
}

// moves is how a residual falls with a step v.
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

// force is where a residual pulls slopes: the transpose of moves.
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

// factor factorises the matrix, about, with damp on its diagonal; nil: in floating point it is not positive.
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
