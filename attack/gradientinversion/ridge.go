package gradientinversion

import "gonum.org/v1/gonum/mat"

// A ridge does ridge regression: least squares with a penalty on the size of the solution (Hoerl and Kennard 1970). It is for so many
// combinations that singular values would take too long. Weak directions are damped smoothly, from the same cut on, and not left out.
type ridge struct {
	matrix *mat.Dense    // the knowledge matrix
	gram   *mat.SymDense // its transpose times it; nil: not computed yet
	cut    float64       // of factor
	factor mat.Cholesky
}

// leastCut is the cut from which on squares of singular values are larger than rounding.
const leastCut = 1e-6

// solve sets z to the solution that damps directions whose singular value is below cut times the norm of the matrix. It returns false
// if there is none in floating point.
func (r *ridge) solve(z *mat.Dense, rest *mat.Dense, cut float64) bool {
	_, rank := r.matrix.Dims()
	if r.gram == nil {
		r.gram = mat.NewSymDense(rank, nil)
		r.gram.SymOuterK(1, r.matrix.T())
	}
	if r.cut != cut {
		damped := mat.NewSymDense(rank, nil)
		damped.CopySym(r.gram)
		most := mat.Trace(r.gram) // the square of a norm
		for i := range rank {
			damped.SetSym(i, i, damped.At(i, i)+float64(cut*cut*most))
		}
		if !r.factor.Factorize(damped) {
			return false
		}
		r.cut = cut
	}
	var right mat.Dense
	right.Mul(r.matrix.T(), rest)
	_ = r.factor.SolveTo(z, &right) // damping makes up for a poor condition
	return true
}
