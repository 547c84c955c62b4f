package sparse

import "github.com/hearsay-dp/hearsay/internal/math"

// Products are rounded before they are added (the float64 conversions forbid fusing them), so that every
// processor gives the same bits.

// shortest is the length from which a vector is worth a call of a vector kernel.
const shortest = 8

// Dot returns x'y, summed in four interleaved parts to hide the latency of an addition. y must be at least as
// long as x.
func Dot(x, y []float64) float64 {
	y = y[:len(x)]
	if widest > 0 && len(x) >= shortest {
		return dotVector(&x[0], &y[0], len(x))
	}
	return dot(x, y)
}

func dot(x, y []float64) float64 {
	var a, b, c, d float64
	for len(x) >= 4 {
		a += float64(x[0] * y[0])
		b += float64(x[1] * y[1])
		c += float64(x[2] * y[2])
		d += float64(x[3] * y[3])
		x, y = x[4:], y[4:]
	}
	for i, v := range x {
		a += float64(v * y[i])
	}
	return (a + b) + (c + d)
}

// Axpy adds a*x to dst, which is at least as long as x.
func Axpy(dst []float64, a float64, x []float64) {
	dst = dst[:len(x)]
	if widest > 0 && len(x) >= shortest {
		axpyVector(&dst[0], a, &x[0], len(x))
		return
	}
	axpy(dst, a, x)
}

func axpy(dst []float64, a float64, x []float64) {
	for i, v := range x {
		dst[i] += float64(a * v)
	}
}

// Scale multiplies x by a.
func Scale(x []float64, a float64) {
	if widest > 0 && len(x) >= shortest {
		scaleVector(&x[0], a, len(x))
		return
	}
	scale(x, a)
}

func scale(x []float64, a float64) {
	for i := range x {
		x[i] *= a
	}
}

// Within reports whether all entries of x are at most bound in absolute value. NaN is not.
func Within(x []float64, bound float64) bool {
	if widest > 0 && len(x) >= shortest {
		return withinVector(&x[0], bound, len(x))
	}
	return within(x, bound)
}

func within(x []float64, bound float64) bool {
	for _, v := range x {
		if !(math.Abs(v) <= bound) {
			return false
		}
	}
	return true
}

// The range of squares in which Norm trusts their sum: neither did terms underflow, nor did one overflow.
const leastSquare, mostSquare = 1e-280, 1e300

// Norm returns the Euclidean norm of x, also if squares would leave the range of float64. It is NaN if x holds
// a NaN, and +Inf only if x holds an infinity or the norm itself is out of range.
func Norm(x []float64) float64 { return extendedNorm(x, 0) }

// NormWithOne returns the norm of (x, 1).
func NormWithOne(x []float64) float64 { return extendedNorm(x, 1) }

// extendedNorm returns the norm of x with one more coordinate.
func extendedNorm(x []float64, last float64) float64 {
	square := Dot(x, x)
	if last != 0 {
		square += float64(last * last)
	}
	if square >= leastSquare && square <= mostSquare {
		return math.Sqrt(square)
	}
	return scaledNorm(x, last)
}

// scaledNorm divides by the largest entry before it squares.
func scaledNorm(x []float64, last float64) float64 {
	largest := math.Abs(last)
	for _, v := range x {
		if math.IsNaN(v) {
			return v
		}
		largest = max(largest, math.Abs(v))
	}
	if largest == 0 || math.IsInf(largest, 1) {
		return largest
	}
	sum := float64((last / largest) * (last / largest))
	for _, v := range x {
		sum += float64((v / largest) * (v / largest))
	}
	return largest * math.Sqrt(sum)
}
