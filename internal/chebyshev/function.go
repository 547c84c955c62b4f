package chebyshev

import (
	"github.com/hearsay-dp/hearsay/internal/parallel"
	"github.com/hearsay-dp/hearsay/sparse"
)

// A Function is f(M) for a sparse M, ready to be applied to unit vectors
// without forming M^2 or a dense n x n factor:
//
//	f(M) = p(M) + V diag(f - p at the known eigenvalues) V'
//
// p is a polynomial evaluated by a two-vector recurrence. It approximates f on
// the part of the spectrum that V, a few known eigenvectors, does not span.
type Function struct {
	m            *sparse.Matrix
	Workers      int // goroutines for the products of Columns; 0: one
	coefficients []float64
	step, last   recurrence // from a degree to the one below; to degree 0
	rank         int
	vectors      []float64 // n x rank, row-major: V
	weights      []float64 // rank
}

// recurrence holds the arguments a, b, c of ThreeTerm.
type recurrence struct{ a, b, c float64 }

// Polynomial returns the sum of coefficients[t] M^t, evaluated by Horner's
// rule. With entries and coefficients that are not negative every entry of the
// result has full relative precision. The coefficients are borrowed.
func Polynomial(m *sparse.Matrix, coefficients []float64) *Function {
	horner := recurrence{1, 0, 0}
	return &Function{m: m, coefficients: coefficients, step: horner, last: horner}
}

// gapSeries returns p(I - M) plus the correction on the known pairs.
func gapSeries(m *sparse.Matrix, p Series, known *eigenpairs, f func(gap float64) float64) *Function {
	// The variable of p on [-1, 1] is (2 gap - lo - hi)/(hi - lo), gap = 1 - M.
	a, b := -2/(p.Hi-p.Lo), (2-p.Lo-p.Hi)/(p.Hi-p.Lo)
	fn := &Function{
		m: m, Workers: known.workers, coefficients: p.Coefficients,
		step: recurrence{2 * a, 2 * b, -1}, last: recurrence{a, b, -1},
		rank: len(known.gaps),
	}
	fn.vectors = make([]float64, m.N*fn.rank)
	for k, gap := range known.gaps {
		fn.weights = append(fn.weights, f(gap)-p.At(gap))
		for i, v := range known.vectors[k] {
			fn.vectors[i*fn.rank+k] = v
		}
	}
	return fn
}

// Degree returns the number of products with M that a column costs.
func (fn *Function) Degree() int { return len(fn.coefficients) - 1 }

// Columns sets dst, n x cols row-major, to columns first..first+cols-1 of
// f(M). scratch has the same length.
func (fn *Function) Columns(dst, scratch []float64, first, cols int) {
	if first < 0 || first+cols > fn.m.N {
		panic("chebyshev: columns out of range")
	}
	clear(dst)
	clear(scratch)
	next, now := scratch, dst
	for k := fn.Degree(); k >= 0; k-- {
		r := fn.step
		if k == 0 {
			r = fn.last
		}
		if k < fn.Degree() {
			threeTerm(fn.m, next, now, cols, fn.Workers, r)
			next, now = now, next
		}
		for c := range cols {
			now[(first+c)*cols+c] += fn.coefficients[k]
		}
	}
	if fn.Degree()%2 == 1 {
		copy(dst, scratch)
	}
	fn.correct(dst, first, cols)
}

// correct adds V diag(weights) V' to columns first.. of the result.
func (fn *Function) correct(dst []float64, first, cols int) {
	if fn.rank == 0 {
		return
	}
	right := make([]float64, fn.rank*cols) // diag(weights) V', its columns first..
	for k, w := range fn.weights {
		for c := range cols {
			right[k*cols+c] = w * fn.vectors[(first+c)*fn.rank+k]
		}
	}
	for i := range fn.m.N {
		out := dst[i*cols : (i+1)*cols]
		for k, v := range fn.vectors[i*fn.rank : (i+1)*fn.rank] {
			sparse.Axpy(out, v, right[k*cols:(k+1)*cols])
		}
	}
}

// Matrix sets dst, n x n row-major, to f(M), on as many goroutines as workers
// (at least 1). The result does not depend on workers.
func (fn *Function) Matrix(dst []float64, workers int) {
	n := fn.m.N
	if len(dst) != n*n {
		panic("chebyshev: the destination is not n x n")
	}
	parallel.Each((n+sparse.Strip-1)/sparse.Strip, workers, func(k int) {
		first := k * sparse.Strip
		cols := min(sparse.Strip, n-first)
		block, scratch := make([]float64, n*cols), make([]float64, n*cols)
		fn.Columns(block, scratch, first, cols)
		for i := range n {
			copy(dst[i*n+first:i*n+first+cols], block[i*cols:(i+1)*cols])
		}
	})
}
