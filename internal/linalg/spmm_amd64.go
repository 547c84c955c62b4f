package linalg

import "golang.org/x/sys/cpu"

// haveVector says that this processor runs the vector kernel.
var haveVector = cpu.X86.HasAVX2

// threeTermVector is ThreeTerm on the 16 columns that start at dst and x,
// whose rows are stride numbers apart. It multiplies, rounds, then adds.
//
//go:noescape
func threeTermVector(dst, x *float64, stride int, offsets *int, columns *int32, values *float64, rows int, a, b, c float64)
