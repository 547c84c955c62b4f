package walkpath

import (
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// Gaussian is the law of a view that is exactly Gaussian with one energy, finite, in units
// of a node's sensitivity.
func Gaussian(energy float64, claim privacy.Claim) *Law {
	return &Law{Claim: claim, Energies: []float64{energy}, Weights: []float64{1}, Most: int(math.Ceil(energy)), exact: true}
}

// Curved is the law of a view that is no Gaussian: epsilon says what it loses at a delta
// and some noise, whatever noise means there. It has no energies.
func Curved(claim privacy.Claim, epsilon func(delta, noise float64) float64) *Law {
	return &Law{Claim: claim, curve: epsilon}
}

// Raised returns the law of the energies that raise makes of these, path by path, for a node of that sensitivity over the largest
// (0: the same). raise must not lower an energy. A law that is exact stays so: each path's view is bounded by itself.
func (l *Law) Raised(raise func(energy float64) float64, relative float64) *Law {
	raised := &Law{Claim: l.Claim, Most: l.Most, Relative: relative, Besides: l.Besides, Rate: l.Rate, exact: l.exact,
		Energies: []float64{raise(0)}, Weights: []float64{1}}
	for i, weight := range l.Weights {
		raised.Energies, raised.Weights = append(raised.Energies, raise(l.Energies[i])), append(raised.Weights, weight)
		raised.Weights[0] -= weight // paths that the law leaves out have energy 0
	}
	raised.Weights[0] = max(0, raised.Weights[0])
	return raised
}

// IsCurved reports whether the law has no energies.
func (l *Law) IsCurved() bool { return l.curve != nil }
