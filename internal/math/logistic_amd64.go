package math

import (
	"math"

	"golang.org/x/sys/cpu"
)

// haveLogistic256 says whether this processor has vectors of 4 numbers with integers.
var haveLogistic256 = cpu.X86.HasAVX2

// logisticVector does fours of what Logistic does from a number on, up to the first that vectors do not take, and
// returns up to where.
func logisticVector(dst, z, y []float64, from int, negative, positive float64) int {
	if !haveLogistic256 {
		return from
	}
	fours := logistic256(&dst[from], &z[from], &y[from], len(y)-from, &logisticConstants, &powersOfTwo, negative, positive)
	return min(len(y), from+4*fours)
}

// logisticConstants are what logistic256 computes with, in its order, each as often as a vector is long.
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

// logistic256 takes groups of 4 of count numbers, the last of which may be shorter, until the
// exponent of one is above 708 in size or is none, with the very roundings of logistic. It returns how many
// groups it has taken.
//
//go:noescape
func logistic256(dst, z, y *float64, count int, constants *[68]float64, roots *[32]float64, negative, positive float64) (done int)
