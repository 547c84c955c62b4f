package privacy

import "github.com/hearsay-dp/hearsay/internal/math"

// Guess returns an upper bound on the probability of a right guess between two equally likely data sets, for an observer of
// an (eps, delta)-private view. It is (e^eps + delta)/(1 + e^eps) (Kairouz, Oh and Viswanath 2015, Theorem 2.1). eps >= 0
// may be infinite, and 0 <= delta <= 1. Without any view the probability is 1/2.
func Guess(eps, delta float64) float64 {
	return min(1, (1+float64(delta*math.Exp(-eps)))/(1+math.Exp(-eps)))
}

// GuessOf returns that probability for a Gaussian view whose loss in the metric is loss.
func (m Metric) GuessOf(loss float64) float64 {
	if math.IsInf(loss, 1) {
		return 1
	}
	if m.Order != 0 {
		return GuessGaussian(math.Sqrt(2 * loss / m.Order))
	}
	return GuessGaussian(MuGaussian(loss, m.Delta) * (1 + 1e-12))
}

// GuessGaussian returns that probability for a Gaussian view: Phi(mu/2), with mu the shift over the noise (mu >= 0). Its
// delta at eps 0 is the total variation distance, so this is (1 + delta(0))/2, and no view proves a smaller one.
func GuessGaussian(mu float64) float64 {
	return float64((1 + math.Erf(mu/(2*math.Sqrt2))) / 2)
}
