package sums

import (
	"github.com/hearsay-dp/hearsay/privacy"
)

// Proved is the same with advanced composition as it is.
func (c CompleteHistogram) Proved(eps0, delta, deltaPrime, deltaHat float64) (privacy.Guarantee, error) {
	return c.theorem(eps0, delta, deltaPrime, deltaHat, func(k, each float64) float64 {
		return privacy.AdvancedComposition(k, each, deltaPrime)
	})
}
