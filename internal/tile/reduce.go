package tile

import "github.com/hearsay-dp/hearsay/internal/math"

// A Modulus is a whole number to reduce by.
type Modulus struct{ size, inverse float64 }

// NewModulus returns the modulus p, a whole number from 1 to 2^26.
func NewModulus(p float64) Modulus {
	if !(p >= 1 && p <= 1<<26) || p != math.Floor(p) {
		panic("tile: a modulus that is no whole number, or too large")
	}
	return Modulus{p, 1 / p}
}

// Nearest reduces a whole number below 2^51 times the modulus and below 2^53 in size to the residue nearest 0.
func (m Modulus) Nearest(x float64) float64 {
	const shift = 3 << 51 // adding it rounds to a whole number
	quotient := float64(x*m.inverse) + shift - shift
	return math.FMA(-quotient, m.size, x)
}

// Reduce replaces every x[i] by its Nearest.
func (m Modulus) Reduce(x []float64) {
	for done, i := reduceVector(x, m), 0; done+i < len(x); i++ {
		x[done+i] = m.Nearest(x[done+i])
	}
}
