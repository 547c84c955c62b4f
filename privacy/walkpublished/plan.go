package walkpublished

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/chebyshev"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// Limits of a plan, in multiply-adds of the block kernel. A dense eigendecomposition takes
// denseCost n^3 of them on one core. Powers of a matrix that is not symmetric are refused beyond
// powersLimit. The coefficients of more than mostPowers would not fit into memory.
const (
	denseCost   = 60
	powersLimit = 1e13
	mostPowers  = 50_000_000
)

// plan chooses how to compute columns of S. It returns the sum of powers if W is not symmetric or
// if T is not larger than the degree of the polynomial that replaces them. Else it returns that
// polynomial. nil means a dense eigendecomposition.
func (w *Accountant) plan(columns, workers int) (*chebyshev.Function, error) {
	entries := float64(len(w.transition.Values))
	if !w.symmetric {
		if cost := float64(w.steps) * entries * float64(columns); cost > powersLimit {
			return nil, fault.New(
				fmt.Sprintf("%d powers of an asymmetric %d x %d transition matrix take too long", w.steps, w.Len(), w.Len()),
				"use a symmetric matrix (hamilton, max-degree or metropolis weights), or fewer steps")
		}
		if w.steps > mostPowers {
			return nil, fault.New(fmt.Sprintf("%d powers of an asymmetric transition matrix take too much memory", w.steps),
				fmt.Sprintf("use a symmetric matrix (hamilton, max-degree or metropolis weights), or at most %d steps", mostPowers))
		}
		return chebyshev.Polynomial(w.transition, harmonicCoefficients(w.steps)), nil
	}
	if w.form == Exact && w.steps <= smallSteps {
		return chebyshev.Polynomial(w.transition, harmonicCoefficients(w.steps)), nil
	}
	series, ok := w.series(columns, workers)
	if w.form == Exact && w.steps <= mostPowers && (!ok || series.Degree() >= w.steps) {
		return chebyshev.Polynomial(w.transition, harmonicCoefficients(w.steps)), nil
	}
	n := float64(w.Len())
	dense := denseCost * n * n * n / float64(max(1, workers))
	if columns == w.Len() && (!ok || dense < float64(series.Degree())*entries*n/float64(max(1, workers))) {
		return nil, nil
	}
	return series, nil
}

// series returns the polynomial, of the folded matrix if there is one.
func (w *Accountant) series(columns, workers int) (*chebyshev.Function, bool) {
	if w.folded != nil {
		return w.folded.GapFunction(w.value, workers)
	}
	return chebyshev.GapFunction(w.transition, w.value, columns)
}

// smallSteps is the number of powers that never cost more than the polynomial.
const smallSteps = 16

// harmonicCoefficients returns the coefficients of the polynomial sum of x^t/t, t = 1..steps.
func harmonicCoefficients(steps int) []float64 {
	c := make([]float64, steps+1)
	for t := 1; t <= steps; t++ {
		c[t] = 1 / float64(t)
	}
	return c
}

// partialLog returns the sum over t = 1..steps of (1-gap)^t/t for a gap in [0, 2]: -ln(gap) less a
// tail, and the harmonic number at 0. It leaves out the tail where that is below rounding.
// Elsewhere it sums the series, the small terms first.
func partialLog(gap float64, steps int) float64 {
	x := 1 - gap
	if float64(steps)*-math.Log(math.Abs(x)) > 45 {
		return -math.Log(gap)
	}
	sum := 0.0
	for t := steps; t > 0; t-- {
		sum = x * (1/float64(t) + sum)
	}
	return sum
}
