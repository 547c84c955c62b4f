package walkfamily

import (
	"runtime"

	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
)

// refineWork is the approximate number of multiplications for the laws of the pairs that lose most.
const refineWork = 1.5e9

// momentsPath returns the account of momentLosses.
func (a *Algorithm) momentsPath(m privacy.Metric, sigma *float64) (family.Account, float64, error) {
	losses, moments, low, err := a.momentLosses(m, sigma)
	if err != nil {
		return family.Account{}, 0, err
	}
	account := family.Account{Accounted: family.Accounted("path", losses.Mean(), losses.Max(), losses.Claim), At: losses.At, Law: moments.Law, In: moments.Loss, Low: low}
	account.Guess = moments.Guess(losses.Sigma)
	return account, losses.Sigma, nil
}

// momentLosses bounds every pair by the moments of its energy, and the pairs that lose most also by their laws.
func (a *Algorithm) momentLosses(m privacy.Metric, sigma *float64) (losses *walkpath.PairLosses, moments *walkpath.Moments, low float64, err error) {
	if moments, err = a.PathWalk().Moments(runtime.GOMAXPROCS(0)); err != nil {
		return nil, nil, 0, err
	}
	if losses, low, err = pathLosses(a, moments, m, sigma); err != nil {
		return nil, nil, 0, err
	}
	if err := moments.Refine(losses, refineWork); err != nil {
		return nil, nil, 0, err
	}
	if len(moments.Refined) > 0 {
		losses, low, err = pathLosses(a, moments, m, sigma)
	}
	return losses, moments, low, err
}
