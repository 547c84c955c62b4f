// Package spectral finds the ends of the spectrum of a symmetric operator.
package spectral

import (
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sparse"
	"gonum.org/v1/gonum/floats"
)

// A Ritz value approximates an eigenvalue from inside the spectrum: the low one from above, the high one from below. Some
// eigenvalue lies within Residual of Value.
type Ritz struct {
	Value    float64
	Residual float64
}

// Lanczos holds the parameters of a search for the ends of the spectrum of A.
type Lanczos struct {
	A        sparse.Operator // symmetric
	Start    []float64       // a vector with a part in every direction of interest; if it has none outside Deflate, another is taken
	Deflate  [][]float64     // orthonormal eigenvectors to leave out
	Norm     float64         // an upper bound on the size of eigenvalues
	MaxSteps int
	Enough   func(low, high Ritz) bool // reports whether to stop; called from time to time
}

// Ends holds the two ends of a spectrum and the data of the search.
type Ends struct {
	Low, High Ritz
	Steps     int
	lanczos   Lanczos
	reduced   tridiagonal
}

// Ends finds the lowest and the highest eigenvalue of A, those of the Deflate
// vectors left out, by the three-term recurrence (Lanczos 1950). Time is
// steps times one product, memory a few vectors, whatever the number of
// steps.
//
// Basis vectors lose orthogonality as Ritz values converge. That repeats
// converged values but moves neither end of the spectrum by more than
// rounding (Paige 1980), so they are not kept to be orthogonalised again.
// Directions in Deflate are removed at each step. Where they are all there are,
// no step is made, and both ends are 0.
func (l Lanczos) Ends() *Ends {
	e := &Ends{lanczos: l}
	var alpha, beta []float64
	next := 8
	l.run(l.MaxSteps, func(_ []float64, diagonal, off float64) bool {
		alpha, beta = append(alpha, diagonal), append(beta, off)
		exhausted := off <= 1e-15*l.Norm
		if len(alpha) < min(next, l.MaxSteps) && !exhausted {
			return true
		}
		next += 4 + next/8
		e.reduced = tridiagonal{alpha, beta[:len(beta)-1]}
		e.Low, e.High = e.reduced.ritz(0, off), e.reduced.ritz(len(alpha)-1, off)
		return !exhausted && !l.Enough(e.Low, e.High)
	})
	e.Steps = len(alpha)
	return e
}

// Vector computes the unit Ritz vector of an end (0 where no step was made) by running the recurrence
// again. It returns with it the Rayleigh quotient and its true residual,
// which hold whatever rounding did on the way.
func (e *Ends) Vector(end Ritz) ([]float64, Ritz) {
	l, weights := e.lanczos, e.reduced.eigenvector(end.Value)
	x := make([]float64, l.A.Len())
	k := 0
	l.run(len(weights), func(q []float64, _, _ float64) bool {
		sparse.Axpy(x, weights[k], q)
		k++
		return true
	})
	l.deflate(x)
	if length := sparse.Norm(x); length > 0 {
		sparse.Scale(x, 1/length)
	}
	residual := make([]float64, len(x))
	l.A.Mul(residual, x)
	value := sparse.Dot(residual, x)
	sparse.Axpy(residual, -value, x)
	l.deflate(residual)
	return x, Ritz{Value: value, Residual: sparse.Norm(residual)}
}

// run makes the recurrence and shows each unit basis vector with its
// diagonal coefficient and the length of the next one, until visit says no.
func (l Lanczos) run(steps int, visit func(q []float64, alpha, beta float64) bool) {
	n := l.A.Len()
	q, previous, w := l.first(), make([]float64, n), make([]float64, n)
	if q == nil {
		return
	}
	beta := 0.0
	for range steps {
		l.A.Mul(w, q)
		sparse.Axpy(w, -beta, previous)
		alpha := sparse.Dot(w, q)
		sparse.Axpy(w, -alpha, q)
		l.deflate(w)
		beta = sparse.Norm(w)
		if !visit(q, alpha, beta) || beta == 0 {
			return
		}
		sparse.Scale(w, 1/beta)
		previous, q, w = q, w, previous
	}
}

// outside is the largest part of a unit vector in the space of Deflate that rounding can leave outside it.
const outside = 1e-12

// first returns the unit vector of the start outside Deflate. If that part is rounding, it takes the coordinate with the
// largest part there. It returns nil if all such parts are rounding.
func (l Lanczos) first() []float64 {
	q := append([]float64(nil), l.Start...)
	before := sparse.Norm(q)
	l.deflate(q)
	length := sparse.Norm(q)
	if !(length > outside*before) {
		clear(q)
		q[l.furthest()] = 1
		l.deflate(q)
		if length = sparse.Norm(q); !(length > outside) {
			return nil
		}
	}
	sparse.Scale(q, 1/length)
	return q
}

// furthest returns the coordinate with the largest part outside Deflate.
func (l Lanczos) furthest() int {
	inside := make([]float64, l.A.Len())
	for _, d := range l.Deflate {
		for i, x := range d {
			inside[i] += float64(x * x)
		}
	}
	return floats.MinIdx(inside)
}

// deflate removes the parts of x along the deflated vectors.
func (l Lanczos) deflate(x []float64) {
	for _, d := range l.Deflate {
		sparse.Axpy(x, -sparse.Dot(d, x), d)
	}
}

// tridiagonal is a symmetric tridiagonal matrix.
type tridiagonal struct {
	diagonal []float64
	off      []float64 // one entry fewer
}

// ritz returns eigenvalue k, from 0 ascending, as a Ritz value. The residual is the last entry of its eigenvector times next,
// the coefficient that would come next.
func (t tridiagonal) ritz(k int, next float64) Ritz {
	value := t.eigenvalue(k)
	vector := t.eigenvector(value)
	return Ritz{Value: value, Residual: next * math.Abs(vector[len(vector)-1])}
}
