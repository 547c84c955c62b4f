package chebyshev

import (
	"math/rand/v2"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/spectral"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// eigenpairs holds the known part of the spectrum of I - M, where M is symmetric and stochastic: gaps[k] = 1 - eigenvalue of M,
// vectors[k] its unit vector.
type eigenpairs struct {
	m       *sparse.Matrix
	gaps    []float64
	vectors [][]float64
	workers int // of products; 0: one
}

// constantPair returns the one pair known beforehand: the constant vector, gap 0.
func constantPair(m *sparse.Matrix) *eigenpairs {
	ones := make([]float64, m.N)
	for i := range ones {
		ones[i] = 1 / math.Sqrt(float64(m.N))
	}
	return &eigenpairs{m: m, gaps: []float64{0}, vectors: [][]float64{ones}}
}

// Len and Mul make I - M an Operator.
func (e *eigenpairs) Len() int { return e.m.N }

// Mul sets dst = x - M x.
func (e *eigenpairs) Mul(dst, x []float64) {
	clear(dst)
	threeTerm(e.m, dst, x, 1, e.workers, recurrence{-1, 1, 0})
}

// project removes the known vectors from x. It does so twice, so that only rounding is left of them.
func (e *eigenpairs) project(x []float64) {
	for range 2 {
		for _, v := range e.vectors {
			sparse.Axpy(x, -sparse.Dot(v, x), v)
		}
	}
}

// start returns a pseudorandom vector that is always the same, because results are a property of m and must not vary from run
// to run.
func (e *eigenpairs) start() []float64 {
	rng := rand.New(rand.NewPCG(0x9e3779b97f4a7c15, uint64(len(e.gaps))))
	x := make([]float64, e.m.N)
	for i := range x {
		x[i] = step.Normal(rng)
	}
	return x
}

// An interval is a range of gaps.
type interval struct{ lo, hi float64 }

// The smallest unknown gap has settled when its residual is at most settled times the gap. The interval then starts a fifth
// (margin) below it. A smaller gap that has not appeared by then would need a start almost orthogonal to its vector.
const (
	boundSteps = 600
	settled    = 1e-4
	margin     = 0.2
)

// bound returns an interval that contains the unknown gaps. Its lower end is 0, which is always valid, if the smallest gap does
// not settle. Its upper end is Gershgorin's.
func (e *eigenpairs) bound() interval {
	if len(e.gaps) == e.m.N {
		return interval{1, 1.5}
	}
	ends := spectral.Lanczos{
		A: e, Start: e.start(), Deflate: e.vectors, Norm: 2,
		MaxSteps: min(boundSteps, e.m.N),
		Enough:   func(low, _ spectral.Ritz) bool { return low.Residual <= settled*low.Value },
	}.Ends()
	if ends.Low.Residual > settled*ends.Low.Value {
		return interval{0, largestGap(e.m)}
	}
	return interval{(1 - margin) * ends.Low.Value, largestGap(e.m)}
}

// largestGap bounds 1 - eigenvalue of a stochastic matrix by Gershgorin's
// circles, twice the largest probability of leaving a node. It is not 0.
func largestGap(m *sparse.Matrix) float64 {
	least := 1.0
	for i := range m.N {
		least = min(least, m.At(i, i))
	}
	return max(2*(1-least), 1e-6)
}

// converged is the residual below which a spectral.Ritz pair counts as an eigenpair. invariant is the length below which a
// Krylov space counts as invariant.
const (
	converged = 2e-13
	invariant = 1e-12
)

// extend finds by Lanczos with full reorthogonalisation the unknown pairs of smallest gap, as many as converge in the given
// steps, and returns their number. For a multiple eigenvalue it finds one vector.
func (e *eigenpairs) extend(steps int) int {
	basis, diagonal, below := e.krylov(min(steps, e.m.N-len(e.gaps)))
	if len(basis) == 0 {
		return 0
	}
	_, vectors, ok := tridiagonalPairs(diagonal, below, unit(len(diagonal)))
	if !ok {
		return 0
	}
	before := len(e.gaps)
	for k := range basis {
		v := make([]float64, e.m.N)
		for j, q := range basis {
			sparse.Axpy(v, vectors[k][j], q)
		}
		if !e.add(v) {
			break
		}
	}
	return len(e.gaps) - before
}

// add adds v to the known vectors if it is an eigenvector, which it checks independently of earlier rounding.
func (e *eigenpairs) add(v []float64) bool {
	e.project(v)
	scale(v, 1/norm(v))
	residual := make([]float64, e.m.N)
	e.Mul(residual, v)
	gap := sparse.Dot(v, residual)
	sparse.Axpy(residual, -gap, v)
	if norm(residual) > converged {
		return false
	}
	e.gaps, e.vectors = append(e.gaps, snap(gap, e.m.N)), append(e.vectors, v)
	return true
}

// krylov runs the Lanczos process outside the known vectors and returns an
// orthonormal basis and the tridiagonal matrix.
func (e *eigenpairs) krylov(steps int) (basis [][]float64, diagonal, below []float64) {
	q := e.start()
	e.project(q)
	for length := norm(q); len(basis) < steps && length > invariant; length = norm(q) {
		if len(basis) > 0 {
			below = append(below, length)
		}
		scale(q, 1/length)
		basis = append(basis, q)
		next := make([]float64, e.m.N)
		e.Mul(next, q)
		diagonal = append(diagonal, sparse.Dot(q, next))
		e.orthogonalise(next, basis)
		q = next
	}
	return basis, diagonal, below
}

// orthogonalise removes from x its parts along the known vectors and basis. A
// second pass follows when the first left little (twice is enough: Kahan).
func (e *eigenpairs) orthogonalise(x []float64, basis [][]float64) {
	for range 2 {
		before := norm(x)
		for k := len(basis) - 1; k >= 0; k-- {
			sparse.Axpy(x, -sparse.Dot(basis[k], x), basis[k])
		}
		e.project(x)
		if norm(x) > before/8 {
			return
		}
	}
}

func norm(x []float64) float64 { return math.Sqrt(sparse.Dot(x, x)) }

func scale(x []float64, a float64) {
	for i := range x {
		x[i] *= a
	}
}
