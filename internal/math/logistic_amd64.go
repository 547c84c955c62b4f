package math

import (
	"math"

	"golang.org/x/sys/cpu"
)

// haveLogistic256 reports whether this processor has vectors of 4 numbers with integers.
var haveLogistic256 = cpu.X86.HasAVX2

// logisticVector computes Logistic in groups of 4 from index from on, up to the first group that vectors do not take, and
// returns the index reached.
func logisticVector(dst, z, y []float64, from int, negative, positive float64) int {
	if !haveLogistic256 {
		return from
	}
	fours := logistic256(&dst[from], &z[from], &y[from], len(y)-from, &logisticConstants, &powersOfTwo, negative, positive)
	return min(len(y), from+4*fours)
}

// logisticConstants holds the constants of logistic256, in its order, each repeated to the length of a vector.
var logisticConstants = fourTimes(
	math.Float64frombits(1<<63-1), 708, math.Copysign(0, -1), // size, sign
	thirtySecondsPerE, roundShift, stepHigh, stepLow, 1.0/120, 1.0/24, 1.0/720, 1.0/6, 0.5, 1, // series
	math.Float64frombits(31), math.Float64frombits(math.MaxUint64-31), // root, power
	math.Float64frombits(math.MaxUint64), 0, // mask
)

func fourTimes(c ...float64) (out [68]float64) {
	for i := range out {
		out[i] = c[i/4]
	}
	return out
}

// logistic256 takes groups of 4 of count numbers, the last of which may be shorter, with exactly the roundings of logistic. It
// stops at a group with an exponent above 708 in size or NaN. It returns the number of groups taken.
//
//go:noescape
func logistic256(dst, z, y *float64, count int, constants *[68]float64, roots *[32]float64, negative, positive float64) (done int)
