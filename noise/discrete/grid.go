package discrete

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// A Grid is the set of whole multiples of a power of two, with the noise on it: a standard deviation that is a
// whole number of steps, from 2^28 to 2^29.
type Grid struct {
	exponent int
	steps    uint64
}

// NewGrid returns the grid for noise of standard deviation at least std, which must be > 0 and finite. The grid
// depends on std alone, which is public. The noise's standard deviation is std rounded up to a whole step:
// larger by less than one part in 2^28, never smaller.
func NewGrid(std float64) Grid {
	if !(std > 0) || math.IsInf(std, 1) {
		panic(fmt.Sprintf("discrete: standard deviation %g is not positive and finite", std))
	}
	fraction, exponent := math.Frexp(std) // fraction in [1/2, 1)
	return Grid{exponent: exponent - 29, steps: uint64(math.Ceil(fraction * maxSteps))}
}

// Exponent returns k: the grid's points are whole multiples of 2^k.
func (g Grid) Exponent() int { return g.exponent }

// Steps returns the noise's standard deviation in grid steps.
func (g Grid) Steps() uint64 { return g.steps }

// Step returns the distance 2^k between two points, or 0 if a float64 cannot hold it.
func (g Grid) Step() float64 { return math.Ldexp(1, g.exponent) }

// limit is the largest absolute value before the noise, in steps. Larger values are clamped to it, which moves
// no two of them apart.
const limit = 1 << 61

// round returns the grid point nearest to x, in steps. Ties go to the even point. x must not be NaN.
func (g Grid) round(x float64) int64 {
	return int64(math.RoundToEven(max(-limit, min(limit, math.Ldexp(x, -g.exponent)))))
}

// value returns the point at steps, rounded to a float64 if it has more than 53 bits or is out of range. The
// rounding depends on nothing but the released point.
func (g Grid) value(steps int64) float64 { return math.Ldexp(float64(steps), g.exponent) }
