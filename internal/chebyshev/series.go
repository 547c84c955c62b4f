// Package chebyshev applies functions of a sparse matrix: as Chebyshev series with a few eigenvectors treated exactly, as
// polynomials, or densely.
package chebyshev

import (
	"github.com/hearsay-dp/hearsay/internal/math"
)

// Series is a polynomial on [Lo, Hi] as a sum of Coefficients[k] times the
// Chebyshev polynomial of degree k in the variable that runs over [-1, 1]
// there. At least one coefficient, Lo < Hi.
type Series struct {
	Lo, Hi       float64
	Coefficients []float64
}

// Fit tries the degrees from minDegree to maxDegree, by doubling.
const minDegree, maxDegree = 16, 1 << 15

// Fit returns the expansion of f on [lo, hi], cut where its coefficients fall below tol. f must be analytic in a neighbourhood
// of [lo, hi], so that its coefficients fall geometrically (the Bernstein ellipse). The cut uses the coefficients themselves. A
// singularity near 0 should lie just below lo, where f is sampled with full relative precision. Fit reports false if degree
// 32768 does not reach tol.
func Fit(f func(float64) float64, lo, hi, tol float64) (Series, bool) {
	for samples := minDegree; samples <= maxDegree; samples *= 2 {
		coefficients := interpolate(f, lo, hi, samples)
		if degree := settledDegree(coefficients, tol); degree < samples*3/4 {
			return Series{lo, hi, coefficients[:degree+1]}, true
		}
	}
	return Series{}, false
}

// interpolate returns the coefficients of the polynomial of degree n through
// f at the n+1 extrema of the Chebyshev polynomial of degree n. The extrema
// are placed from lo upwards, so that a lo near 0 keeps its relative precision.
func interpolate(f func(float64) float64, lo, hi float64, n int) []float64 {
	spectrum := make([]complex128, 2*n) // of an even function of the angle
	for j := range n + 1 {
		s := math.Sin(math.Pi * float64(n-j) / float64(2*n))
		v := f(lo + float64((hi-lo)*s*s))
		spectrum[j], spectrum[(2*n-j)%(2*n)] = complex(v, 0), complex(v, 0)
	}
	math.Fourier(spectrum)
	coefficients := make([]float64, n+1)
	for k := range coefficients {
		coefficients[k] = real(spectrum[k]) / float64(n)
	}
	coefficients[0] /= 2
	coefficients[n] /= 2
	return coefficients
}

// quiet is the number of consecutive coefficients that must be below the tolerance. One may vanish by symmetry. A later one
// above the tolerance is rounding, and keeping it would do harm outside [lo, hi], where its polynomial is large.
const quiet = 6

// settledDegree returns the last index before the coefficients fall below tol, or len(coefficients) if they do not.
func settledDegree(coefficients []float64, tol float64) int {
	degree := 0
	for k, c := range coefficients {
		if math.Abs(c) > tol {
			degree = k
		}
		if k-degree >= quiet {
			return degree
		}
	}
	return len(coefficients)
}

// Degree returns the degree of the polynomial.
func (p Series) Degree() int { return len(p.Coefficients) - 1 }

// At returns the value of the polynomial at any x, by Clenshaw's recurrence.
func (p Series) At(x float64) float64 {
	t := (float64(2*x) - p.Lo - p.Hi) / (p.Hi - p.Lo)
	b1, b2 := 0.0, 0.0
	for k := p.Degree(); k > 0; k-- {
		b1, b2 = p.Coefficients[k]+float64(2*t*b1)-b2, b1
	}
	return p.Coefficients[0] + float64(t*b1) - b2
}

// growth returns the largest term of the polynomial at a point x below Lo.
func (p Series) growth(x float64) float64 {
	angle := math.Acosh((p.Lo + p.Hi - float64(2*x)) / (p.Hi - p.Lo))
	most := 0.0
	for k, c := range p.Coefficients {
		most = math.Max(most, math.Abs(c)*math.Cosh(float64(k)*angle))
	}
	return most
}
