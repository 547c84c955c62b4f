package privacy

import "github.com/hearsay-dp/hearsay/internal/math"

// millsSplit separates two ways to compute the Mills ratio: the error function below it,
// a continued fraction above it, which needs millsTerms at the split.
const (
	millsSplit = 5
	millsTerms = 70
)

// logSqrtTwoPi is ln(sqrt(2 pi)).
const logSqrtTwoPi = 0.91893853320467274178

// LogDensity returns the logarithm of the standard normal density.
func LogDensity(x float64) float64 { return float64(-x*x/2) - logSqrtTwoPi }

// mills returns the Mills ratio R(x) = Phi(-x)/phi(x) of the standard normal law. It
// overflows below -37.
func mills(x float64) float64 {
	if x < millsSplit {
		return math.Erfc(x/math.Sqrt2) / 2 * math.Exp(-LogDensity(x))
	}
	return 1 / (x + millsFraction(x))
}

// millsFall returns -R'(x) = 1 - x R(x), positive, without cancellation.
func millsFall(x float64) float64 {
	if x < millsSplit {
		return 1 - float64(x*mills(x))
	}
	k := millsFraction(x)
	return k / (x + k)
}

// millsFraction returns K in R(x) = 1/(x + K), K = 1/(x + 2/(x + 3/(x + ...))) (Laplace),
// for x >= millsSplit. It starts at the term of millsBegin, which gives the same bits as
// all millsTerms, because rounding hides where a fraction began.
func millsFraction(x float64) float64 {
	k := 0.0
	for j := millsBegin(x); j > 0; j-- {
		k = float64(j) / (x + k)
	}
	return k
}

// millsBegin returns a term at which the fraction may begin, for x and everything above.
func millsBegin(x float64) int { return min(millsTerms, 14+int(1200/(x*x))) }

// millsFalls returns millsFall at four x in order. The fractions are computed side by
// side, because each division waits only for the one before it in its own fraction.
func millsFalls(x [4]float64) [4]float64 {
	least := min(x[0], x[3])
	if !(least >= millsSplit) {
		return [4]float64{millsFall(x[0]), millsFall(x[1]), millsFall(x[2]), millsFall(x[3])}
	}
	var a, b, c, d float64
	for j := millsBegin(least); j > 0; j-- {
		f := float64(j)
		a, b, c, d = f/(x[0]+a), f/(x[1]+b), f/(x[2]+c), f/(x[3]+d)
	}
	return [4]float64{a / (x[0] + a), b / (x[1] + b), c / (x[2] + c), d / (x[3] + d)}
}

// logTail returns ln Phi(-x), without underflow.
func logTail(x float64) float64 {
	if x < -millsSplit {
		return math.Log1p(-math.Erfc(-x/math.Sqrt2) / 2)
	}
	return LogDensity(x) + math.Log(mills(x))
}
