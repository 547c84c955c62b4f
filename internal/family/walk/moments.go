package walk

import (
	"runtime"

	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/privacy"
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
	losses, low, err := pathLosses(a, moments, m, sigma)
	if err != nil {
		return family.Account{}, 0, err
	}
	if err := moments.Refine(losses, refineWork); err != nil {
		return family.Account{}, 0, err
	}
	if len(moments.Refined) > 0 {
		losses, low, err = pathLosses(a, moments, m, sigma)
	}
	if err != nil {
		return family.Account{}, 0, err
	}
	return family.Account{Accounted: family.Accounted("path", losses.Mean(), losses.Max(), losses.Claim), At: losses.At, Law: moments.Law,
		In: moments.Loss, Low: low}, losses.Sigma, nil
}
