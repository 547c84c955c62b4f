package spectral

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// eigenvalue finds eigenvalue k, from 0 ascending, by bisection on the number
// of eigenvalues below a point, to within rounding of the largest one.
func (t tridiagonal) eigenvalue(k int) float64 {
	low, high := t.bounds()
	for width := 0x1p-54 * max(-low, high); high-low > width; {
		mid := low + (high-low)/2
		if mid <= low || mid >= high {
			break
		}
		if t.below(mid) > k {
			high = mid
		} else {
			low = mid
		}
	}
	return low + (high-low)/2
}

// bounds encloses all eigenvalues (Gershgorin).
func (t tridiagonal) bounds() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for i, d := range t.diagonal {
		radius := 0.0
		if i > 0 {
			radius += math.Abs(t.off[i-1])
		}
		if i < len(t.off) {
			radius += math.Abs(t.off[i])
		}
		low, high = min(low, d-radius), max(high, d+radius)
	}
	return low - 1e-300, high + 1e-300
}

// below counts the eigenvalues below x by Sylvester's law of inertia: the
// negative pivots of t - x.
func (t tridiagonal) below(x float64) int {
	count := 0
	pivot := 1.0
	for i, d := range t.diagonal {
		coupling := 0.0
		if i > 0 {
			coupling = t.off[i-1] * t.off[i-1] / pivot
		}
		pivot = d - x - coupling
		if pivot == 0 {
			pivot = math.SmallestNonzeroFloat64 * 0x1p100
		}
		if pivot < 0 {
			count++
		}
	}
	return count
}

// eigenvector returns the unit eigenvector at an eigenvalue by inverse
// iteration.
func (t tridiagonal) eigenvector(value float64) []float64 {
	n := len(t.diagonal)
	x := make([]float64, n)
	for i := range x {
		x[i] = 1 + 0.25*math.Sin(float64(i*i)) // in no eigenvector's way
	}
	shift := value + 1e-15*(1+math.Abs(value)) // off the eigenvalue by rounding
	for range 3 {
		x, shift = t.solveNear(x, shift)
		floats.Scale(1/floats.Norm(x, math.Inf(1)), x)
		floats.Scale(1/floats.Norm(x, 2), x)
	}
	return x
}

// solveNear solves (t - shift) y = x, at the next shift above if the matrix is
// exactly singular at this one, and returns y and the shift.
func (t tridiagonal) solveNear(x []float64, shift float64) (y []float64, at float64) {
	for {
		if y, ok := t.solveShifted(x, shift); ok {
			return y, shift
		}
		shift = math.Nextafter(shift, math.Inf(1))
	}
}

// solveShifted solves (t - shift) y = x. It reports false when elimination meets
// a pivot that is exactly 0.
func (t tridiagonal) solveShifted(x []float64, shift float64) (y []float64, ok bool) {
	n := len(x)
	y = append([]float64(nil), x...)
	m := lapack64.Tridiagonal{N: n,
		D:  append([]float64(nil), t.diagonal...),
		DL: append([]float64(nil), t.off...),
		DU: append([]float64(nil), t.off...),
	}
	for i := range m.D {
		m.D[i] -= shift
	}
	ok = lapack64.Gtsv(blas.NoTrans, m, blas64.General{Rows: n, Cols: 1, Stride: 1, Data: y})
	return y, ok
}
