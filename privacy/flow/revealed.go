package flow

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// Revealed describes a run whose weights are drawn at random, independently of
// data, and shown to everybody: random matchings, graphs redrawn every round. Its
// view is the draw and the messages given the draw, so
//
//	delta(eps) = E over draws of delta_Gauss(eps; sqrt(V)/sigma).
//
// Over all draws with their probabilities that is an upper bound. Over a sample
// of draws it is an estimate, and no bound.
type Revealed struct {
	Energies      []float64 // V of each draw, from one node to one coalition
	Probabilities []float64 // nil: all equal
}

// Check returns an error for negative energies or probabilities that do not sum
// to 1.
func (r Revealed) Check() error {
	if len(r.Energies) == 0 || r.Probabilities != nil && len(r.Probabilities) != len(r.Energies) {
		return fault.New(fmt.Sprintf("%d energies with %d probabilities", len(r.Energies), len(r.Probabilities)), "give one probability a draw")
	}
	sum := 0.0
	for k, v := range r.Energies {
		p := r.share(k)
		if !(v >= 0) || !isFinite(p) {
			return fault.New(fmt.Sprintf("draw %d has energy %g and probability %g", k, v, p), "neither may be negative")
		}
		sum += p
	}
	if math.Abs(sum-1) > privacy.RowTolerance {
		return fault.New(fmt.Sprintf("probabilities of draws sum to %g", sum), "name every draw")
	}
	return nil
}

func (r Revealed) share(k int) float64 {
	if r.Probabilities == nil {
		return 1 / float64(len(r.Energies))
	}
	return r.Probabilities[k]
}

// Delta returns the delta at eps >= 0 and noise multiplier sigma > 0.
func (r Revealed) Delta(eps, sigma float64) float64 {
	sum := 0.0
	for k, v := range r.Energies {
		delta := 1.0
		if !math.IsInf(v, 1) {
			delta = math.Exp(privacy.LogDeltaGaussian(math.Sqrt(v)/sigma, eps))
		}
		sum += float64(r.share(k) * delta)
	}
	return sum
}

// Epsilon returns the smallest eps >= 0 whose delta is at most the given one. It
// returns +Inf if there is none.
func (r Revealed) Epsilon(delta, sigma float64) float64 {
	enough := func(eps float64) bool { return r.Delta(eps, sigma) <= delta }
	if enough(0) {
		return 0
	}
	high := 1.0
	for !enough(high) {
		if high *= 2; high > mostEpsilon {
			return math.Inf(1)
		}
	}
	return privacy.Bisect(0, high, enough)
}

// mostEpsilon is the epsilon above which a loss counts as infinite.
const mostEpsilon = 1e12

// Sigma returns the smallest noise multiplier at which eps at delta is at most
// target.
func (r Revealed) Sigma(target, delta float64) (privacy.Calibration, error) {
	if err := r.Check(); err != nil {
		return privacy.Calibration{}, err
	}
	if err := privacy.CheckTarget(target, delta); err != nil {
		return privacy.Calibration{}, err
	}
	return privacy.Calibrate(func(sigma float64) float64 { return r.Epsilon(delta, sigma) }, privacy.LeastSigma, target)
}
