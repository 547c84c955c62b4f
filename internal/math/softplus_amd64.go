package math

import (
	"math"

	"golang.org/x/sys/cpu"
)

// haveSoftplus512 reports whether this processor has vectors of 8 numbers.
var haveSoftplus512 = cpu.X86.HasAVX512F

// softplusVector sets groups of 8 numbers of dst to Softplus of those of x, up to the first group that vectors do not take. It
// returns the number of numbers set.
func softplusVector(dst, x []float64) int {
	if !haveSoftplus512 || len(x) < 8 {
		return 0
	}
	return 8 * softplus512(&dst[0], &x[0], len(x)/8, &softplusConstants[0], &powersOfTwo[0], &logarithms[0])
}

// softplusConstants holds the constants of softplus512, in its order.
var softplusConstants = [...]float64{
	math.Float64frombits(1<<63 - 1), 708, math.Copysign(0, -1), // size
	thirtySecondsPerE, roundShift, stepHigh, stepLow, 1.0 / 120, 1.0 / 24, 1.0 / 720, 1.0 / 6, 0.5, // series
	math.Float64frombits(31), math.Float64frombits(math.MaxUint64 - 31), // root, power
	softShift, 1, 1.0 / 3, -1.0 / 2, 1.0 / 5, -1.0 / 4, 1.0 / 7, -1.0 / 6, 1.0 / 9, -1.0 / 8, // logarithm
	math.Float64frombits(63),
}

// softplus512 takes groups of 8 numbers, with exactly the roundings of Softplus. It stops at a group with a number above 708 in
// size or NaN. It returns the number of groups taken.
//
//go:noescape
func softplus512(dst, x *float64, groups int, constants, roots, logs *float64) (done int)
