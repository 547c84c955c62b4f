package math

import "math"

// Logistic sets dst[i] to -w y[i] / (1 + Exp(y[i] z[i])), with the same bits on every processor. It is the derivative at z[i]
// of w log(1 + exp(-y[i] z)), where w is positive for y[i] above 0 and negative for any other. The lengths of z and dst are
// that of y rounded up to a multiple of 4. z and dst may be the same. Entries of dst beyond the length of y are meaningless.
func Logistic(dst, z, y []float64, negative, positive float64) {
	fours := (len(y) + 3) &^ 3
	dst, z = dst[:fours], z[:fours]
	done := 0
	for done < len(y) {
		done = logisticVector(dst, z, y, done, negative, positive)
		for range min(4, len(y)-done) {
			dst[done] = logistic(z[done], y[done], negative, positive)
			done++
		}
	}
}

func logistic(z, y, negative, positive float64) float64 {
	w := math.Float64bits(negative)
	if y > 0 { // a choice of bits needs no branch, which would be unpredictable
		w = math.Float64bits(positive)
	}
	return -math.Float64frombits(w) * y / (1 + Exp(float64(y*z)))
}
