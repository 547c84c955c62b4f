package path

import (
	"math"

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

// IsCurved reports whether the law has no energies.
func (l *Law) IsCurved() bool { return l.curve != nil }
