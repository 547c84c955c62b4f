package chebyshev

import (
	"cmp"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sparse"
)

// symmetricPairs returns the eigenvalues of a symmetric matrix, ascending, and their unit
// vectors, by Householder's reduction to a tridiagonal one. It overwrites a, and reports false
// where tridiagonalPairs does.
func symmetricPairs(a [][]float64) (values []float64, vectors [][]float64, ok bool) {
	n := len(a)
	basis, diagonal, below := unit(n), make([]float64, n), make([]float64, max(0, n-1))
	for k := range below {
		v := make([]float64, n) // reflects what is below the diagonal of column k onto its first entry
		copy(v[k+1:], a[k][k+1:])
		below[k] = -math.Copysign(sparse.Norm(v), v[k+1])
		v[k+1] -= below[k]
		if length := sparse.Norm(v); length > 0 {
			sparse.Scale(v, 1/length)
			reflect(a, basis, v, k+1)
		}
	}
	for k := range diagonal {
		diagonal[k] = a[k][k]
	}
	return tridiagonalPairs(diagonal, below, basis)
}

// reflect applies I - 2 v v' to a from both sides, in rows and columns from first on, and to basis from the left. v must be 0
// before first.
func reflect(a, basis [][]float64, v []float64, first int) {
	w, moved := make([]float64, len(v)), make([]float64, len(v))
	for i := first; i < len(v); i++ {
		w[i] = sparse.Dot(a[i], v)
		sparse.Axpy(moved, 2*v[i], basis[i])
	}
	sparse.Axpy(w, -sparse.Dot(v, w), v)
	sparse.Scale(w, 2)
	for i := first; i < len(v); i++ {
		sparse.Axpy(a[i], -v[i], w)
		sparse.Axpy(a[i], -w[i], v)
		sparse.Axpy(basis[i], -v[i], moved)
	}
}

func unit(n int) [][]float64 {
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = make([]float64, n)
		rows[i][i] = 1
	}
	return rows
}

// mostSteps is the largest number of steps for an eigenvalue. Two are usual.
const mostSteps = 60

// tridiagonalPairs returns the eigenvalues, ascending, of a symmetric tridiagonal matrix of order n, and their unit vectors in
// terms of the rows of basis. It takes implicit QL steps (Dubrulle, Martin and Wilkinson 1968) and overwrites all arguments. It
// reports false if an eigenvalue does not converge.
func tridiagonalPairs(d, below []float64, basis [][]float64) (values []float64, vectors [][]float64, ok bool) {
	e := append(below, 0)
	for first := range d {
		for steps := 0; ; steps++ {
			last := first
			for last < len(d)-1 && !(math.Abs(e[last]) <= 0x1p-53*(math.Abs(d[last])+math.Abs(d[last+1]))) {
				last++
			}
			if last == first {
				break
			}
			if steps == mostSteps {
				return nil, nil, false
			}
			qlStep(d[first:last+1], e[first:last+1], basis[first:last+1])
		}
	}
	order := make([]int, len(d))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(d[i], d[j]) })
	for _, i := range order {
		values, vectors = append(values, d[i]), append(vectors, basis[i])
	}
	return values, vectors, true
}

// qlStep takes a step of QL with Wilkinson's shift on an unreduced block.
func qlStep(d, e []float64, basis [][]float64) {
	last := len(d) - 1
	g := (d[1] - d[0]) / (2 * e[0])
	g = d[last] - d[0] + e[0]/(g+math.Copysign(math.Hypot(g, 1), g))
	sin, cos, moved := 1.0, 1.0, 0.0
	for i := last - 1; i >= 0; i-- {
		f, b := float64(sin*e[i]), float64(cos*e[i])
		r := math.Hypot(f, g)
		e[i+1] = r
		if r == 0 { // the block falls apart here
			d[i+1] -= float64(moved)
			e[last] = 0
			return
		}
		sin, cos = f/r, g/r
		g = d[i+1] - float64(moved)
		r = float64((d[i]-g)*sin) + float64(2*cos*b)
		moved = float64(sin * r)
		d[i+1] = g + moved
		g = float64(cos*r) - b
		rotate(basis[i], basis[i+1], cos, sin)
	}
	d[0] -= moved
	e[0], e[last] = g, 0
}

// rotate rotates two rows.
func rotate(x, y []float64, cos, sin float64) {
	for i, v := range x {
		x[i], y[i] = float64(cos*v)-float64(sin*y[i]), float64(sin*v)+float64(cos*y[i])
	}
}
