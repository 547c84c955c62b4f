//go:build !amd64

package sparse

func dotVector(x, y *float64, n int) float64 { panic("sparse: no vector kernel for this processor") }

func axpyVector(dst *float64, a float64, x *float64, n int) {
	panic("sparse: no vector kernel for this processor")
}

func scaleVector(x *float64, a float64, n int) { panic("sparse: no vector kernel for this processor") }

func withinVector(x *float64, bound float64, n int) bool {
	panic("sparse: no vector kernel for this processor")
}

func widenVector(dst *float64, singles *byte, n int) {
	panic("sparse: no vector kernel for this processor")
}
