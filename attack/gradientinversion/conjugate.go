package gradientinversion

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/hearsay-dp/hearsay/sparse"
)

// A bundle is a linear least-squares problem whose normal equations can be factorised. A step v reduces a residual r by moves(v).
type bundle interface {
	moves(v []float64) (r []float64) // reduction of the residual by a step v
	force(r []float64) (v []float64) // the transpose
}

// slack is added to the diagonal of a matrix, relative to the mean of the diagonal, so that rounding does not make it indefinite.
// roughly is added if only its factor is used.
const slack, roughly = 1e-14, 1e-16

const (
	// conjugates is the largest number of conjugate directions. worthwhile is the part of the residual that a direction must win.
	// Gains vary, the more the more directions there are, so one in amongst of the directions taken may win less in a row.
	conjugates, worthwhile, amongst = 300, 1e-6, 4
)

// conjugate returns the step v with the least |r - moves(v)|^2 + damp |v|^2. c factorises the normal equations. They square singular
// values, so weak directions of precisely known sums drown in rounding. So their solution is only the start and the preconditioner of
// conjugate gradients (Hestenes and Stiefel 1952). conjugate sets r to the residual, and returns the number of directions taken.
func conjugate(b bundle, c *mat.Cholesky, r []float64, damp float64) (v []float64, taken int) {
	force := b.force(r)
	v = make([]float64, len(force))
	toward := solve(c, force)
	along, drop := slices.Clone(toward), sparse.Dot(force, toward)
	for idle := 0; taken < conjugates && idle <= taken/amongst && drop > 0; taken++ {
		moves := b.moves(along)
		by := drop / (square(moves) + float64(damp*square(along)))
		sparse.Axpy(v, by, along)
		sparse.Axpy(r, -by, moves)
		if idle++; by*drop > worthwhile*(square(r)+float64(damp*square(v))) {
			idle = 0
		}
		force = b.force(r)
		sparse.Axpy(force, -damp, v)
		toward = solve(c, force)
		next := sparse.Dot(force, toward)
		scale(along, next/drop)
		sparse.Axpy(along, 1, toward)
		drop = next
	}
	return v, taken
}

// solve returns the solution x of a factorised matrix times x = b.
func solve(c *mat.Cholesky, b []float64) []float64 {
	x := make([]float64, len(b))
	_ = c.SolveVecTo(mat.NewVecDense(len(x), x), mat.NewVecDense(len(b), b)) // damping makes up for a poor condition
	return x
}
