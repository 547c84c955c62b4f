package walkpath

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/digits"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// A Sample holds the energies of simulated paths of one pair. Its bounds
// are confidence bounds: with probability at least 1-failure over the paths
// drawn they are true. They are upper ones if the sample is sound, lower ones if
// it is an audit.
type Sample struct {
	privacy.Claim
	Energies []float64 // distinct, increasing
	Counts   []int     // how many paths had each
	Paths    int
	Most     int // no path has a larger energy
}

// Mean is the mean energy of the sample: an estimate, not a bound.
func (s *Sample) Mean() float64 {
	mean, _ := s.moments(func(v float64) float64 { return v })
	return mean
}

// moments are the mean and the sample variance of f.
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

// bound bounds the mean of an increasing f over paths, with probability at
// least 1-failure: the empirical Bernstein bound (Maurer and Pontil 2009,
// Theorem 4) on the range [f(0), f(Most)].
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

// Delta bounds the delta at eps >= 0 and noise multiplier sigma > 0; failure,
// the probability that the paths mislead, is charged in it.
func (s *Sample) Delta(eps, sigma, failure float64) float64 {
	delta := s.deltaBound(eps, sigma, failure)
	if s.Status == privacy.Audit {
		return delta
	}
	return min(1, failure+delta)
}

// deltaBound is Delta without what it charges for failure.
func (s *Sample) deltaBound(eps, sigma, failure float64) float64 {
	return s.bound(func(v float64) float64 { return gaussianDelta(v, eps, sigma) }, failure)
}

// RDP bounds the Renyi divergence of order alpha > 1 at noise multiplier sigma
// > 0, with probability at least 1-failure over the paths drawn.
func (s *Sample) RDP(alpha, sigma, failure float64) float64 {
	rate := alpha * (alpha - 1) / (2 * sigma * sigma)
	most := float64(s.Most)
	excess := s.bound(func(v float64) float64 { // relative to the largest, which may not fit a float64
		return math.Exp(rate * (v - most))
	}, failure)
	return (math.Log(excess) + float64(rate*most)) / (alpha - 1)
}

// failureShare is the part of delta that is kept for paths that mislead.
const failureShare = 0.1

// Epsilon bounds the eps at delta in (0, 1) and noise multiplier sigma > 0. If
// the paths are too few, so that what they leave open takes more than half of
// delta, it is an error that says how many would be enough.
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

// How descend goes down: by halves, coarseSteps times, then to 0; within the last
// half that passes by fineSteps even steps, and within one of these by as many
// again.
const (
	coarseSteps   = 40
	fineSteps     = 32
	descentLevels = 3
)

// descend returns an eps that passes, at most top, which does without being asked.
//
// What passes is read off the paths, and so is the eps that is asked about: a
// bound that holds for one eps with probability 1-p need not hold for it. But
// descend stops at the first eps of a list that fails. Let e be the eps that is
// true. Of the halves only those below e are too small, and all of these come
// after the largest of them, which is one eps that no path decides; of the steps
// within the half that e lies in the same holds, and within its step. So the
// answer is below e only if one of three given eps passes that should not:
// with probability 3p at most (a fixed sequence of tests at every level).
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

// estimate is the mean delta of the sample.
func (s *Sample) estimate(eps, sigma float64) float64 {
	mean, _ := s.moments(func(v float64) float64 { return gaussianDelta(v, eps, sigma) })
	return mean
}

// needed estimates how many paths certify delta: so many that both terms of
// the bound's slack are an eighth of delta where the sample shows half of it.
func (s *Sample) needed(delta, sigma float64) float64 {
	l, most := math.Log(2/(failureShare*delta)), float64(s.Most)
	local := privacy.EpsilonGaussian(math.Sqrt(most)/sigma, delta)
	eps := privacy.Bisect(0, local, func(eps float64) bool { return s.estimate(eps, sigma) <= delta/2 })
	_, variance := s.moments(func(v float64) float64 { return gaussianDelta(v, eps, sigma) })
	return max(2*variance*l*64/(delta*delta), 7*8*l*gaussianDelta(most, eps, sigma)/(3*delta), float64(2*s.Paths))
}
