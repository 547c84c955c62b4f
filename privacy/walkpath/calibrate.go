package walkpath

import (
	"cmp"
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// calibrate returns the smallest sigma at which a falling loss is at most target. Losses here are
// expensive. calibrate therefore evaluates fewer of them than bisection, and none twice. It stops at the
// first error of the loss.
func calibrate(target float64, dear func(sigma float64) (float64, error)) (privacy.Calibration, error) {
	if !(target > 0) || math.IsInf(target, 1) {
		return privacy.Calibration{}, fault.New(fmt.Sprintf("a loss of %g cannot be calibrated to", target), "give a target above 0")
	}
	var failed error
	known := make(map[float64]float64)
	loss := func(sigma float64) float64 {
		at, found := known[sigma]
		if !found && failed == nil {
			at, failed = dear(sigma)
			known[sigma] = at
		}
		if failed != nil {
			return math.NaN() // neither above nor below, so that the search ends
		}
		return at
	}
	c, err := search(target, loss)
	return c, cmp.Or(failed, err)
}

// search does as calibrate, for a loss that is NaN once it has failed.
func search(target float64, loss func(sigma float64) float64) (privacy.Calibration, error) {
	steps := 0
	above := func(sigma float64) float64 {
		steps++
		return max(math.Log(loss(sigma)/target), -1e3) // ln 0 where the loss is 0
	}
	lo, hi := 1.0, 1.0
	for above(hi) > 0 {
		if lo, hi = hi, 2*hi; hi > privacy.MostSigma {
			return privacy.Calibration{}, fault.New(fmt.Sprintf("a loss of %g needs a sigma above %g", target, privacy.MostSigma), "raise the target")
		}
	}
	for lo == hi || above(lo) <= 0 {
		if lo, hi = lo/2, lo; lo < privacy.LeastSigma {
			return privacy.Calibration{Sigma: hi, Low: hi, Loss: loss(hi), Steps: steps}, nil
		}
	}
	lo, hi = bracketZero(lo, hi, above)
	return privacy.Calibration{Sigma: hi, Low: lo, Loss: loss(hi), Steps: steps}, nil
}

// bracketZero narrows [lo, hi] to a relative 1e-10. The falling f must be positive at lo and not positive
// at hi. It uses false position in which the value at an end that stays twice is halved (Illinois), with a
// bisection every eighth step.
func bracketZero(lo, hi float64, f func(x float64) float64) (float64, float64) {
	above, below, last := f(lo), f(hi), 0
	for k := 1; hi-lo > 1e-10*hi; k++ {
		mid := lo + (hi-lo)*above/(above-below)
		if margin := float64(4e-11 * hi); k%8 != 0 {
			mid = min(max(mid, lo+margin), hi-margin)
		} else {
			mid = lo + float64((hi-lo)/2)
		}
		if !(mid > lo && mid < hi) {
			break
		}
		if at := f(mid); at > 0 {
			lo, above = mid, at
			if last > 0 {
				below = float64(below / 2)
			}
			last = 1
		} else {
			hi, below = mid, at
			if last < 0 {
				above = float64(above / 2)
			}
			last = -1
		}
	}
	return lo, hi
}
