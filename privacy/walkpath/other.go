package walkpath

import (
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// Gaussian returns the law of a view that is exactly Gaussian with one finite energy, in units of a node's
// sensitivity.
func Gaussian(energy float64, claim privacy.Claim) *Law {
	return &Law{Claim: claim, Energies: []float64{energy}, Weights: []float64{1}, Most: int(math.Ceil(energy)), exact: true}
}

// Curved returns the law of a view that is not Gaussian. epsilon returns its loss at a delta and a noise, whose
// meaning is up to the caller. The law has no energies.
func Curved(claim privacy.Claim, epsilon func(delta, noise float64) float64) *Law {
	return &Law{Claim: claim, curve: epsilon}
}

// Raised returns the law of the energies raise(V), path by path. raise must not lower an energy. relative is
// the node's sensitivity over the largest (0: the same). The result is exact if l is, because each path's view
// is bounded by itself.
func (l *Law) Raised(raise func(energy float64) float64, relative float64) *Law {
	raised := &Law{Claim: l.Claim, Most: l.Most, Relative: relative, Besides: l.Besides, Rate: l.Rate, exact: l.exact,
		Energies: []float64{raise(0)}, Weights: []float64{1}}
	for i, weight := range l.Weights {
		raised.Energies, raised.Weights = append(raised.Energies, raise(l.Energies[i])), append(raised.Weights, weight)
		raised.Weights[0] -= weight // paths that the law leaves out have energy 0
	}
	raised.Weights[0] = max(0, raised.Weights[0])
	if l.exact && len(l.Energies) == 1 { // of a Gaussian view, Most is its energy and no count of contributions
		raised.Most = max(l.Most, int(math.Ceil(raised.Energies[1])))
	}
	return raised
}

// IsCurved reports whether the law has no energies.
func (l *Law) IsCurved() bool { return l.curve != nil }
