//go:build !amd64

package sparse

// haveVector is false: other processors run the plain Go kernel.
const haveVector = false

func threeTermVector(dst, x, own *float64, stride int, offsets *int, columns *int32, values *float64, rows int, a, b, c float64) {
	panic("sparse: no vector kernel for this processor")
}

func threeTermVector8(dst, x, own *float64, stride int, offsets *int, columns *int32, values *float64, rows, entries int, a, b, c float64) {
	panic("sparse: no vector kernel for this processor")
}
