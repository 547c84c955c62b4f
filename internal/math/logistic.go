package math

import "math"

// Logistic sets dst[i] to -w y[i] / (1 + Exp(y[i] z[i])), the derivative at z[i] of
// w log(1 + exp(-y[i] z)), where w is positive for a y[i] above 0 and negative for another: the
// same bits on every processor. z and dst are as long as y rounded up to a multiple of 4, may be the
// same, and what stands beyond y in dst afterwards says nothing.
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
	if y > 0 { // a choice of bits needs no branch, which nothing would foretell
		w = math.Float64bits(positive)
	}
	return -math.Float64frombits(w) * y / (1 + Exp(float64(y*z)))
}
