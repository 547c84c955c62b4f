package admmview

import (
	"github.com/hearsay-dp/hearsay/privacy"
)

// Tight is the smallest Sigma with Loss at most target, as a noise multiplier;
// WithMultiplier makes it a Sigma. a.Sigma is not looked at.
func (c Curated) Tight(a Consensus, target float64, m privacy.Metric) (privacy.Noise, privacy.Calibration, error) {
	if err := a.WithMultiplier(1).check(); err != nil {
		return privacy.Noise{}, privacy.Calibration{}, err
	}
	energy, err := c.Energy()
	if err != nil {
		return privacy.Noise{}, privacy.Calibration{}, err
	}
	cal, err := privacy.TightGaussian(energy, target, m)
	return privacy.Noise{Claim: c.claim(), Multiplier: cal.Sigma}, cal, err
}
