package gradientinversion

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/hearsay-dp/hearsay/sparse"
)

// A bundle is linear least squares whose normal equations can be factorised: what a step is to make small is a residual r, of which it takes moves.
type bundle interface {
	moves(v []float64) (r []float64) // how a residual falls with a step v
	force(r []float64) (v []float64) // where a residual pulls: the transpose
}

// slack is what is added to the diagonal of a matrix, relative to its mean there, lest rounding make it indefinite, and roughly where
// no more than its factor is asked for.
const slack, roughly = 1e-14, 1e-16

const (
	// conjugates is how many conjugate directions are taken at most, and worthwhile the part of what is left that one must win. What they win goes up
	// and down, the more the more there are: as many may win less as one in amongst of those taken.
	conjugates, worthwhile, amongst = 300, 1e-6, 4
)

// conjugate is the step v with the least square of r - moves(v) and of v, damp times. Normal equations, which c is of, know of directions by squares,
// where weak ones drown in the rounding of those of sums that are known to many digits; so what they find is where conjugate gradients
// begin, and their preconditioner (Hestenes and Stiefel 1952). It sets r to what is left, and is told how many directions were taken.
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

// solve is x with a factorised matrix times x = b.
func solve(c *mat.Cholesky, b []float64) []float64 {
	x := make([]float64, len(b))
	_ = c.SolveVecTo(mat.NewVecDense(len(x), x), mat.NewVecDense(len(b), b)) // a poor condition is what damping is for
	return x
}
