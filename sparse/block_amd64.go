package sparse

import "golang.org/x/sys/cpu"

// haveVector says that this processor runs the vector kernel.
var haveVector = cpu.X86.HasAVX2

// threeTermVector is ThreeTerm on the 16 columns that start at dst and x,
// whose rows are stride numbers apart, for so many rows of dst and offsets; own
// is the first of them in x. It multiplies, rounds, then adds.
//
//go:noescape
func threeTermVector(dst, x, own *float64, stride int, offsets *int, columns *int32, values *float64, rows int, a, b, c float64)

// threeTermVector8 is threeTermVector on 8 columns, of a matrix with so many
// entries. It fetches rows of x ahead: with few columns and rows far apart in
// memory, waiting for them is all the work.
//
//go:noescape
func threeTermVector8(dst, x, own *float64, stride int, offsets *int, columns *int32, values *float64, rows, entries int, a, b, c float64)
