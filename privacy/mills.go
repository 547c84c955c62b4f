package privacy

import "math"

// millsSplit separates the two ways to compute the Mills ratio: below it the
// error function, above it a continued fraction, which needs millsTerms there.
const (
	millsSplit = 5
	millsTerms = 70
)

// logSqrtTwoPi is ln(sqrt(2 pi)).
const logSqrtTwoPi = 0.91893853320467274178

// LogDensity is the logarithm of the standard normal density.
func LogDensity(x float64) float64 { return -x*x/2 - logSqrtTwoPi }

// mills is the Mills ratio R(x) = Phi(-x)/phi(x) of the standard normal law.
// It overflows below -37.
func mills(x float64) float64 {
	if x < millsSplit {
		return math.Erfc(x/math.Sqrt2) / 2 * math.Exp(-LogDensity(x))
	}
	return 1 / (x + millsFraction(x))
}

// millsFall is -R'(x) = 1 - x R(x), positive, without cancellation.
func millsFall(x float64) float64 {
	if x < millsSplit {
		return 1 - x*mills(x)
	}
	k := millsFraction(x)
	return k / (x + k)
}

// millsFraction is K in R(x) = 1/(x + K), K = 1/(x + 2/(x + 3/(x + ...)))
// (Laplace), for x >= millsSplit. It begins as late as gives the bits of all
// millsTerms: rounding forgets where a fraction began.
func millsFraction(x float64) float64 {
	k := 0.0
	for j := min(millsTerms, 14+int(1200/(x*x))); j > 0; j-- {
		k = float64(j) / (x + k)
	}
	return k
}

// logTail is ln Phi(-x), without underflow.
func logTail(x float64) float64 {
	if x < -millsSplit {
		return math.Log1p(-math.Erfc(-x/math.Sqrt2) / 2)
	}
	return LogDensity(x) + math.Log(mills(x))
}
