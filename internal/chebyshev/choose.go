package chebyshev

import (
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sparse"
)

// tolerance is the size below which a Chebyshev coefficient is dropped, relative to the largest value of f outside the known
// eigenvalues (at least 1).
const tolerance = 2e-16

// deflateAbove is about the cost, in multiply-adds of the block kernel, of a pass of Lanczos that finds more eigenvectors to
// treat exactly. Passes end when deflateIdle in a row did not lower the degree by a fifth, because a multiple eigenvalue yields
// one vector in each.
const (
	deflateAbove = 9e9
	deflateSteps = 192
	deflateIdle  = 2
)

// GapFunction returns f(I - M) for a symmetric stochastic M, to be applied to columns unit vectors. f is a function of the gap
// 1 - eigenvalue, in [0, 2]. The value f(0) on the constant vector of each component may differ from the limit of f at 0. If the
// unknown part of the spectrum comes close to a singularity of f at 0, more eigenvectors are treated exactly, as long as that
// pays.
//
// It reports false if f is singular on the interval that contains the spectrum as far as it was resolved. Callers should then
// use DenseGapFunction.
func GapFunction(m *sparse.Matrix, f func(gap float64) float64, columns int) (*Function, bool) {
	return constantPair(m).function(f, columns)
}

// function computes GapFunction where some pairs are known.
func (known *eigenpairs) function(f func(gap float64) float64, columns int) (*Function, bool) {
	m := known.m
	p, ok := known.fit(f)
	for idle := 0; idle < deflateIdle; {
		if ok && columnCost(m, p)*float64(columns) < deflateAbove || known.extend(deflateSteps) == 0 {
			break
		}
		better, fitted := known.fit(f)
		if fitted && (!ok || 5*better.Degree() < 4*p.Degree()) {
			idle = 0
		} else {
			idle++
		}
		p, ok = better, fitted
	}
	if !ok {
		return nil, false
	}
	return gapSeries(m, p, known, f), true
}

// columnCost returns the number of multiply-adds of one column.
func columnCost(m *sparse.Matrix, p Series) float64 {
	return float64(p.Degree()) * float64(len(m.Values)+m.N)
}

// mostGrowth bounds the terms of the polynomial on the known vectors, which lie outside its interval. The rounding error on
// these vectors is that many times 1e-16.
const mostGrowth = 100

// fit returns the expansion of f on an interval that contains all unknown gaps. It extends the interval downwards if the
// polynomial would otherwise be too large at gap 0.
func (e *eigenpairs) fit(f func(gap float64) float64) (Series, bool) {
	for where := e.bound(); ; where.lo /= 4 {
		size := math.Max(math.Abs(f(where.lo)), math.Abs(f(where.hi)))
		if math.IsInf(size, 0) || math.IsNaN(size) {
			return Series{}, false
		}
		p, ok := Fit(f, where.lo, where.hi, tolerance*math.Max(1, size))
		if !ok || p.growth(0) <= mostGrowth*math.Max(1, size) {
			return p, ok
		}
	}
}
