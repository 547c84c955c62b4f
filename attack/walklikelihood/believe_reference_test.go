package walklikelihood

import "github.com/hearsay-dp/hearsay/internal/math"

// Guess returns the mean and the standard deviation of the target's value given the added sums along a line. Before, the value
// is a Gaussian around 0 of standard deviation prior, noise is sigma, and all other additions are known. It is exact for
// linear updates (Likelihood), by integration over 12 prior deviations.
func (g *Game) Guess(added []float64, sigma, prior float64) (mean, std float64) {
	log := func(value float64) float64 { return g.Likelihood(value, added, sigma) - value*value/(2*prior*prior) }
	low, high := -6*prior, 6*prior
	const points, tail = 801, 40.0
	for range 3 { // each time around the last result
		at, logs, most := make([]float64, points), make([]float64, points), math.Inf(-1)
		for i := range at {
			at[i] = low + (high-low)*float64(i)/(points-1)
			logs[i] = log(at[i])
			most = max(most, logs[i])
		}
		mass, first, second, step := 0.0, 0.0, 0.0, (high-low)/(points-1)
		low, high = math.Inf(1), math.Inf(-1)
		for i, x := range at {
			if logs[i] < most-tail {
				continue
			}
			p := math.Exp(logs[i] - most)
			mass, first, second = mass+p, first+float64(p*x), second+float64(p*x*x)
			low, high = min(low, x-step), max(high, x+step)
		}
		mean = first / mass
		std = math.Sqrt(max(0, second/mass-float64(mean*mean)))
	}
	return mean, std
}
