package walk

import (
	"runtime"

	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/privacy"
	pathloss "github.com/hearsay-dp/hearsay/privacy/path"
)

// refineWork is about how many multiplications the laws take of those pairs that lose most.
const refineWork = 4e9

// momentsPath bounds every pair by the moments of its energy, and those that lose most by
// their laws besides.
func (a *Algorithm) momentsPath(m privacy.Metric, sigma *float64) (family.Account, float64, error) {
	moments, err := a.PathWalk().Moments(runtime.GOMAXPROCS(0))
	if err != nil {
		return family.Account{}, 0, err
	}
	losses, low, err := a.momentLosses(moments, m, sigma)
	if err != nil {
		return family.Account{}, 0, err
	}
	if err := moments.Refine(losses, refineWork); err != nil {
		return family.Account{}, 0, err
	}
	if len(moments.Refined) > 0 {
		losses, low, err = a.momentLosses(moments, m, sigma)
	}
	if err != nil {
		return family.Account{}, 0, err
	}
	return family.Account{Accounted: family.Accounted("path", losses.Mean(), losses.Max(), losses.Claim), At: losses.At, Law: moments.Law,
		In: moments.Loss, Low: low}, losses.Sigma, nil
}

// momentLosses are at sigma, or at a calibrated one if that is nil; low is then
// the lower end of its bracket.
func (a *Algorithm) momentLosses(moments *pathloss.Moments, m privacy.Metric, sigma *float64) (losses *pathloss.PairLosses, low float64, err error) {
	if sigma != nil {
		losses, err = moments.Losses(*sigma, m)
		return losses, 0, err
	}
	target, err := a.Target()
	if err != nil {
		return nil, 0, err
	}
	var calibration privacy.Calibration
	switch {
	case target.Mean != 0:
		losses, calibration, err = moments.Calibrate(privacy.Mean, target.Mean, m)
	case target.IsMax():
		losses, calibration, err = moments.Calibrate(privacy.Max, target.Limits[0].Loss, m)
	default:
		losses, calibration, err = moments.CalibrateLimits(target.Limits, m)
	}
	return losses, calibration.Low, err
}
