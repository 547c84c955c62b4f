package walkpath

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/digits"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// A Sample holds the energies of simulated paths of one pair. Its bounds are confidence bounds: they hold with
// probability at least 1-failure over the paths drawn. They are upper bounds if the sample is sound, and lower
// bounds if it is an audit.
type Sample struct {
	privacy.Claim
	Energies []float64 // distinct, increasing
	Counts   []int     // number of paths with each energy
	Paths    int
	Most     int // no path has a larger energy
}

// Mean returns the mean energy of the sample, which is an estimate and not a bound.
func (s *Sample) Mean() float64 {
	mean, _ := s.moments(func(v float64) float64 { return v })
	return mean
}

// moments returns the mean and the sample variance of f.
func (s *Sample) moments(f func(v float64) float64) (mean, variance float64) {
	values := make([]float64, len(s.Energies))
	n := float64(s.Paths)
	for i, v := range s.Energies {
		values[i] = f(v)
		mean += float64(s.Counts[i]) * values[i] / n
	}
	for i, x := range values {
		variance += float64(s.Counts[i]) * (x - mean) * (x - mean) / (n - 1)
	}
	return mean, variance
}

// bound returns a bound of the mean of an increasing f over paths, which holds with probability at least
// 1-failure. It is the empirical Bernstein bound (Maurer and Pontil 2009, Theorem 4) on the range [f(0),
// f(Most)].
func (s *Sample) bound(f func(v float64) float64, failure float64) float64 {
	mean, variance := s.moments(f)
	n, l := float64(s.Paths), math.Log(2/failure)
	low, high := f(0), f(float64(s.Most))
	slack := math.Sqrt(2*variance*l/n) + 7*(high-low)*l/(3*(n-1))
	if s.Status == privacy.Audit {
		return max(mean-slack, low)
	}
	return min(mean+slack, high)
}

// Delta returns a bound of the delta at eps >= 0 and noise multiplier sigma > 0. An upper bound includes
// failure, the probability that the paths mislead.
func (s *Sample) Delta(eps, sigma, failure float64) float64 {
	delta := s.deltaBound(eps, sigma, failure)
	if s.Status == privacy.Audit {
		return delta
	}
	return min(1, failure+delta)
}

// deltaBound returns Delta without the charge for failure.
func (s *Sample) deltaBound(eps, sigma, failure float64) float64 {
	return s.bound(func(v float64) float64 { return gaussianDelta(v, eps, sigma) }, failure)
}

// RDP returns a bound of the Renyi divergence of order alpha > 1 at noise multiplier sigma > 0, which holds
// with probability at least 1-failure over the paths drawn.
func (s *Sample) RDP(alpha, sigma, failure float64) float64 {
	rate := alpha * (alpha - 1) / (2 * sigma * sigma)
	most := float64(s.Most)
	excess := s.bound(func(v float64) float64 { // relative to the largest value, which may overflow a float64
		return math.Exp(rate * (v - most))
	}, failure)
	return (math.Log(excess) + float64(rate*most)) / (alpha - 1)
}

// failureShare is the part of delta that is reserved for paths that mislead.
const failureShare = 0.1

// Epsilon returns an upper bound of the eps at delta in (0, 1) and noise multiplier sigma > 0. If there are too
// few paths, so that their uncertainty takes more than half of delta, it returns an error that names a
// sufficient number.
func (s *Sample) Epsilon(delta, sigma float64) (float64, error) {
	if s.Status == privacy.Audit {
		panic("privacy/walkpath: Epsilon of an audit is not an upper bound")
	}
	failure := failureShare * delta
	local := privacy.EpsilonGaussian(math.Sqrt(float64(s.Most))/sigma, delta)
	eps := descend(local, func(eps float64) bool { return failure+s.deltaBound(eps, sigma, failure/descentLevels) <= delta })
	if eps == 0 || s.estimate(eps, sigma) >= delta/2 {
		return eps, nil
	}
	return 0, fault.New(
		fmt.Sprintf("%d paths cannot certify delta %g for this pair", s.Paths, delta),
		fmt.Sprintf("simulate %.0f paths, or use the exact law of the path", digits.Up(s.needed(delta, sigma), 2)))
}

// Parameters of descend. It halves eps coarseSteps times, and then tries 0. Within the last half that passes it
// takes fineSteps even steps, and within the last of these as many again.
const (
	coarseSteps   = 40
	fineSteps     = 32
	descentLevels = 3
)

// descend returns an eps that passes and is at most top, which is taken to pass without a test.
//
// The test depends on the paths, and so does the eps that is tested. A bound that holds for one fixed eps with
// probability 1-p need not hold for such an eps. But descend stops at the first eps of a list that fails. Let e
// be the true eps. Only halves below e are too small, and all of them come after the largest of them, which is
// one eps that does not depend on the paths. The same holds for the steps within the half that contains e, and
// within its step. So the result is below e only if one of three fixed eps passes wrongly, which has
// probability at most 3p (a fixed sequence of tests at every level).
func descend(top float64, passes func(eps float64) bool) float64 {
	high, low := top, top/2
	for k := 0; passes(low); k++ {
		if high = low; k == coarseSteps {
			if passes(0) {
				return 0
			}
			return high
		}
		low = high / 2
	}
	for range descentLevels - 1 {
		from, width := high, (high-low)/fineSteps
		for k := 1; k < fineSteps; k++ {
			next := from - float64(float64(k)*width)
			if !passes(next) {
				low = next
				break
			}
			high = next
		}
	}
	return high
}

// estimate returns the mean delta of the sample.
func (s *Sample) estimate(eps, sigma float64) float64 {
	mean, _ := s.moments(func(v float64) float64 { return gaussianDelta(v, eps, sigma) })
	return mean
}

// needed estimates the number of paths that certify delta: with it both terms of the bound's slack are an
// eighth of delta at the eps for which the sample shows half of delta.
func (s *Sample) needed(delta, sigma float64) float64 {
	l, most := math.Log(2/(failureShare*delta)), float64(s.Most)
	local := privacy.EpsilonGaussian(math.Sqrt(most)/sigma, delta)
	eps := privacy.Bisect(0, local, func(eps float64) bool { return s.estimate(eps, sigma) <= delta/2 })
	_, variance := s.moments(func(v float64) float64 { return gaussianDelta(v, eps, sigma) })
	return max(2*variance*l*64/(delta*delta), 7*8*l*gaussianDelta(most, eps, sigma)/(3*delta), float64(2*s.Paths))
}
