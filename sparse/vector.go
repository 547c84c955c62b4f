package sparse

// Products are rounded before they are added (the float64 conversions forbid
// fusing them), so that every processor gives the same bits.

// Dot is x'y, summed in four interleaved parts to hide the latency of an
// addition. y is at least as long as x.
func Dot(x, y []float64) float64 {
	y = y[:len(x)]
	var a, b, c, d float64
	for len(x) >= 4 {
		a += float64(x[0] * y[0])
		b += float64(x[1] * y[1])
		c += float64(x[2] * y[2])
		d += float64(x[3] * y[3])
		x, y = x[4:], y[4:]
	}
	for i, v := range x {
		a += float64(v * y[i])
	}
	return (a + b) + (c + d)
}

// Axpy adds a*x to dst, which is at least as long as x.
func Axpy(dst []float64, a float64, x []float64) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] += float64(a * v)
	}
}
