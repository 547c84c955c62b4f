package walklikelihood

import (
	"math/rand/v2"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/step"
)

// Play draws what attackers see of sights whose rows are given when the target's contributions are value longer than known, in units of
// the sensitivity and of the size of an update, with noise sigma, and returns its Ratio: how much likelier it is if they are one longer
// than if they are not.
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

// Tells is the part of a run in what an attack proves: of the hockey-stick divergence at e^eps, whose mean over runs in
// which contributions are longer it is, by the logarithm of a ratio. It is in [0, 1].
func Tells(ratio, eps float64) float64 { return max(0, -math.Expm1(eps-ratio)) }
