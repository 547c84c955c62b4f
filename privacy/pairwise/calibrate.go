package pairwise

import (
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/privacy"
)

// Calibrate returns the least Own, in the unit of the sensitivities, at which no node loses more than target
// towards any size others (see Worst). Pair keeps its ratio to Own in the problem.
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
