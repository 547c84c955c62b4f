package pairwise

import (
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/privacy"
)

// Calibrate is the least Own, with Pair in the same proportion to it as in the problem, at
// which no node loses more than target towards any so many others (see Worst). It is in
// the unit of the sensitivities.
func (a *Accountant) Calibrate(size int, target float64, m privacy.Metric, workers int) (privacy.Calibration, privacy.Claim, error) {
	worst, claim, err := a.Worst(size, workers)
	if err != nil {
		return privacy.Calibration{}, claim, err
	}
	energy := slices.Max(worst) * a.p.Own * a.p.Own * (1 + 4*ulp)
	if energy == 0 {
		return privacy.Calibration{}, claim, fault.New("no data goes in", "give a sensitivity above 0")
	}
	found, err := privacy.TightGaussian(energy, target, m)
	if err != nil {
		return found, claim, fault.Wrap(err, fmt.Sprintf("epsilon %g", target), "raise it")
	}
	return found, claim, nil
}
