package flow

// Upper bounds in floating point. All numbers are 0 or positive. A sum of k
// products has a relative error of at most (k+1) units of rounding, 2^-53 each,
// unless something underflows. Raising it by k+1 units of 2^-52 makes up for
// that and for its own rounding.

// raised returns an upper bound on the exact value of x, which was computed by
// at most operations operations.
func raised(x float64, operations int) float64 {
	return float64(x * (1 + float64(float64(operations+1)*0x1p-52)))
}

// leastLeft keeps the rest of a difference away from underflow: with all
// factors above least, no product with it is below 2^-1022.
const leastLeft = 0x1p-600

// underflow bounds the sum of all squares that can have underflowed.
const underflow = 1e-300

// left returns x - a rounded up. It returns 0 for a >= x.
func left(x, a float64) float64 {
	if a >= x {
		return 0
	}
	return max(raised(x-a, 1), leastLeft)
}
