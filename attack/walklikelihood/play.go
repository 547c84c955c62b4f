package walklikelihood

import (
	"math/rand/v2"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/step"
)

// Play draws the view of sights whose rows are given, with noise sigma. The target's contributions are longer than known by value,
// in units of the sensitivity and of the size of an update. Play returns the Ratio of that view: the log-likelihood ratio of
// contributions longer by one against known ones.
func (g *Game) Play(rows []Row, target int, value, sigma float64, r *rand.Rand) float64 {
	added := make([]float64, len(rows))
	for i, row := range rows {
		if k := slices.Index(row.Nodes, target); k >= 0 {
			added[i] = value * row.Coefficients[k]
		}
		added[i] += float64(sigma * math.Sqrt(row.Variance) * step.Normal(r))
	}
	return g.Ratio(added, sigma)
}

// Tells returns one run's part in the hockey-stick divergence at e^eps, given the logarithm of a likelihood ratio. The divergence is
// its mean over runs in which contributions are longer. It is in [0, 1].
func Tells(ratio, eps float64) float64 { return max(0, -math.Expm1(eps-ratio)) }
