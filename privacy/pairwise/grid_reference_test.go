package pairwise

import (
	"github.com/hearsay-dp/hearsay/privacy"
)

// Loss is the loss of an energy of OnGrid: what concentrated privacy gives, all orders allowed.
func Loss(energy float64, m privacy.Metric) float64 {
	m.Conversion = privacy.CanonneKamathSteinke
	return m.GaussianRDP(energy)
}
