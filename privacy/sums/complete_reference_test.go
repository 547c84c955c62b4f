package sums

import (
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// CycleDelta is delta_cycle of section D.1.1, exactly, for a sum of m turns in
// which each picks one of users and adds noise of multiplier sigma:
//
//	sum over k = 1..m of P(k turns of u) delta_k,
//
// delta_k being that of a Gaussian of shift k/(sqrt(m) sigma) at eps, the loss
// before subsampling. Together with CycleEpsilon it is (Balle, Barthe and
// Gaboardi 2018, Theorem 10).
//
// 002 asserts that it stays below the delta of one contribution. It does not:
// nodes with several turns in a cycle are rare and lose much. For n = 100,
// m = 100, eps0 = 0.1 at delta = 1e-6 it is 14 times that.
func CycleDelta(eps, sigma float64, m, users int) float64 {
	return cycleDelta(eps, 1/(sigma*math.Sqrt(float64(m))), m, users)
}

// CycleDeltaPrinted is the same with the group-privacy bound of section D.1.1:
// delta_k <= (e^eps - 1)/(e^(eps/k) - 1) times the delta of one at eps/k.
func CycleDeltaPrinted(eps, sigma float64, m, users int) float64 {
	delta, p := 0.0, 1/float64(users)
	for k := 1; k <= m && privacy.BinomialTail(m, p, k) > 1e-25; k++ {
		share := eps / float64(k)
		one := math.Exp(privacy.LogDeltaGaussian(1/(sigma*math.Sqrt(float64(m))), share))
		delta += float64(math.Exp(privacy.LogBinomial(m, p, k)) * min(1, math.Expm1(eps)/math.Expm1(share)*one))
	}
	return delta
}
