package spectral

import (
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sparse"
)

// eigenvalue finds eigenvalue k, from 0 ascending, by bisection on the number
// of eigenvalues below a point, to within rounding of the largest one.
func (t tridiagonal) eigenvalue(k int) float64 {
	low, high := t.bounds()
	for width := 0x1p-54 * max(-low, high); high-low > width; {
		mid := low + float64((high-low)/2)
		if mid <= low || mid >= high {
			break
		}
		if t.below(mid) > k {
			high = mid
		} else {
			low = mid
		}
	}
	return low + float64((high-low)/2)
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
		x[i] = 1 + float64(0.25*math.Sin(float64(i*i))) // in no eigenvector's way
	}
	shift := value + float64(1e-15*(1+math.Abs(value))) // off the eigenvalue by rounding
	for range 3 {
		x, shift = t.solveNear(x, shift)
		largest := 0.0
		for _, v := range x {
			largest = max(largest, math.Abs(v))
		}
		sparse.Scale(x, 1/largest)
		sparse.Scale(x, 1/sparse.Norm(x))
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

// solveShifted solves (t - shift) y = x by elimination with row swaps. It reports false when elimination meets
// a pivot that is exactly 0.
func (t tridiagonal) solveShifted(x []float64, shift float64) (y []float64, ok bool) {
	n := len(x)
	y = append([]float64(nil), x...)
	d := append([]float64(nil), t.diagonal...)
	up, upper := append([]float64(nil), t.off...), make([]float64, n) // the diagonals above; upper fills in where rows are swapped
	for i := range d {
		d[i] -= shift
	}
	for i, low := range t.off {
		if math.Abs(d[i]) < math.Abs(low) { // the next row goes first
			d[i], low = low, d[i]
			up[i], d[i+1] = d[i+1], up[i]
			if i+1 < len(up) {
				upper[i], up[i+1] = up[i+1], 0
			}
			y[i], y[i+1] = y[i+1], y[i]
		}
		if d[i] == 0 {
			return nil, false
		}
		factor := low / d[i]
		d[i+1] -= float64(factor * up[i])
		if upper[i] != 0 {
			up[i+1] -= float64(factor * upper[i])
		}
		y[i+1] -= float64(factor * y[i])
	}
	if n > 0 && d[n-1] == 0 {
		return nil, false
	}
	for i := n - 1; i >= 0; i-- {
		if i+1 < n {
			y[i] -= float64(up[i] * y[i+1])
		}
		if i+2 < n {
			y[i] -= float64(upper[i] * y[i+2])
		}
		y[i] /= d[i]
	}
	return y, true
}
