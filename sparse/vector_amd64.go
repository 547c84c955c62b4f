package sparse

// dotVector computes dot of n numbers, at least one.
//
//go:noescape
func dotVector(x, y *float64, n int) float64

// axpyVector computes axpy of n numbers, at least one.
//
//go:noescape
func axpyVector(dst *float64, a float64, x *float64, n int)

// scaleVector computes scale of n numbers, at least one.
//
//go:noescape
func scaleVector(x *float64, a float64, n int)

// widenVector computes widen of n numbers, at least one.
//
//go:noescape
func widenVector(dst *float64, singles *byte, n int)

// withinVector computes within of n numbers, at least four.
//
//go:noescape
func withinVector(x *float64, bound float64, n int) bool
