package tile

import "github.com/hearsay-dp/hearsay/internal/math"

// Terms adds to every dst[k] the sum over j of weights[j] times x[offsets[j]+k], one product after the other in the order of j.
// These are many weighted, shifted copies of a vector, as in a convolution over pictures with padded borders. Each product is
// fused with its addition, on every processor. x must reach len(dst) beyond every offset.
func Terms(dst, x, weights []float64, offsets []int) {
	if len(weights) != len(offsets) {
		panic("Terms: as many weights as offsets")
	}
	for _, at := range offsets {
		if at < 0 || at+len(dst) > len(x) {
			panic("Terms: an offset beyond x")
		}
	}
	done := termsVector(dst, x, weights, offsets)
	for j, w := range weights {
		from := x[offsets[j]:]
		for k := done; k < len(dst); k++ {
			dst[k] = math.FMA(w, from[k], dst[k])
		}
	}
}
