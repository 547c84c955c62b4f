package flow

// Upper bounds in floating point. All numbers are 0 or positive. A sum of k
// products has a relative error of at most (k+1) units of rounding, 2^-53 each,
// as long as nothing underflows; raising it by k+1 units of 2^-52 makes up for
// that and for its own rounding.

// raised is an upper bound of what x was rounded from, by at most so many
// operations.
func raised(x float64, operations int) float64 {
	return float64(x * (1 + float64(float64(operations+1)*0x1p-52)))
}

// leastLeft keeps what is left away from where products underflow: with all
// factors above least, nothing that comes of it is below 2^-1022.
const leastLeft = 0x1p-600

// underflow is more than all squares that can have underflowed.
const underflow = 1e-300

// left is x - a rounded up, a <= x.
func left(x, a float64) float64 {
	if a >= x {
		return 0
	}
	return max(raised(x-a, 1), leastLeft)
}
