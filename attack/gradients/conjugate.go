package gradients

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/hearsay-dp/hearsay/sparse"
)

// A residual is what a step of the slopes is to make small.
type residual struct {
	sums *mat.Dense // of sums, and of how far examples are from home, a row for each; over the noise
	off  []float64  // of slopes, over the pull
}

// residual is what is left at s.
func (l *lifting) residual(s *stand) *residual {
	r := &residual{mat.NewDense(len(l.part.sums)+len(l.free), l.part.dim, nil), slices.Clone(s.off)}
	data := r.sums.RawMatrix().Data
	height := copy(data, s.missed.RawMatrix().Data)
	scale(data[:height], 1/s.noise)
	for i, x := range s.e {
		data[height+i] = l.home[i] - x
	}
	scale(r.off, 1/s.pull)
	return r
}

// add adds another one, times by.
func (r *residual) add(by float64, other *residual) {
	sparse.Axpy(r.sums.RawMatrix().Data, by, other.sums.RawMatrix().Data)
	sparse.Axpy(r.off, by, other.off)
}

func (r *residual) square() float64 { return square(r.sums.RawMatrix().Data) + square(r.off) }

// moves is how a residual falls with a step v.
func (n *normal) moves(v []float64) *residual {
	_, dim := n.units.Dims()
	by := mat.NewDense(len(v), dim, nil)
	for i, x := range v {
		sparse.Axpy(by.RawRowView(i), x/n.noise, n.units.RawRowView(i))
	}
	r := &residual{sums: &mat.Dense{}, off: make([]float64, len(v))}
	r.sums.Mul(n.project, by)
	mat.NewVecDense(len(v), r.off).MulVec(n.stays, mat.NewVecDense(len(v), v))
	return r
}

// force is where a residual pulls slopes: the transpose of moves.
func (n *normal) force(r *residual) []float64 {
	var felt mat.Dense
	felt.Mul(n.project.T(), r.sums)
	f := make([]float64, len(r.off))
	mat.NewVecDense(len(f), f).MulVec(n.stays.T(), mat.NewVecDense(len(f), r.off))
	for i := range f {
		f[i] += sparse.Dot(felt.RawRowView(i), n.units.RawRowView(i)) / n.noise
	}
	return f
}

// slack is what is added to the diagonal of a matrix, relative to its mean there, lest rounding make it indefinite.
const slack = 1e-14

// factor factorises the matrix, about, with damp on its diagonal; nil: in floating point it is not positive.
func (n *normal) factor(damp float64) *mat.Cholesky {
	size, _ := n.matrix.Dims()
	damp += slack / float64(size) * mat.Trace(n.matrix)
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

const (
	// conjugates is how many conjugate directions are taken at most, and worthwhile the part of what is left that one must win.
	conjugates, worthwhile = 300, 1e-6
)

// solve is the step v with the least square of r - moves(v) and of v, damp times. The matrix knows of directions by squares, where those of slopes
// drown in the rounding of those of sums that are known to many digits; so what it finds is where conjugate gradients
// begin, and their preconditioner (Hestenes and Stiefel 1952). It sets r to what is left, and is told how many directions were taken.
func (n *normal) solve(c *mat.Cholesky, r *residual, damp float64) (v []float64, taken int) {
	v = make([]float64, len(r.off))
	force := n.force(r)
	toward := solve(c, force)
	along, drop := slices.Clone(toward), sparse.Dot(force, toward)
	for won := math.Inf(1); taken < conjugates && won > worthwhile*(r.square()+damp*square(v)); taken++ {
		moves := n.moves(along)
		by := drop / (moves.square() + damp*square(along))
		won = by * drop
		sparse.Axpy(v, by, along)
		r.add(-by, moves)
		force = n.force(r)
		sparse.Axpy(force, -damp, v)
		toward = solve(c, force)
		next := sparse.Dot(force, toward)
		scale(along, next/drop)
		sparse.Axpy(along, 1, toward)
		drop = next
	}
	return v, taken
}
