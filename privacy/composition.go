package privacy

import (
	"cmp"
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/digits"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// A Guarantee is (Epsilon, Delta)-differential privacy with its claim.
type Guarantee struct {
	Claim
	Epsilon float64 // >= 0; +Inf if there is no guarantee
	Delta   float64 // may exceed 1, and then guarantees nothing
}

// AdvancedComposition returns the epsilon of k mechanisms of loss eps each,
// except with probability deltaPrime (Dwork, Rothblum and Vadhan 2010; the form
// of 002, Theorem 5.5):
//
//	sqrt(2 k ln(1/deltaPrime)) eps + k eps (exp(eps) - 1).
//
// The mechanisms' own deltas add to deltaPrime. k need not be whole.
func AdvancedComposition(k, eps, deltaPrime float64) float64 {
	return float64(math.Sqrt(2*k*-math.Log(deltaPrime))*eps) + float64(k*eps*math.Expm1(eps))
}

// ClassicalEpsilon returns the loss of one Gaussian release at a delta by 002,
// Proposition 3.7: sqrt(2 ln(1.25/delta))/sigma. The formula holds below 1
// only, so it returns an error from 1 on. EpsilonGaussian returns the exact
// loss.
func ClassicalEpsilon(sigma, delta float64) (float64, error) {
	if err := cmp.Or(CheckSigma(sigma), CheckDeltas(delta)); err != nil {
		return 0, err
	}
	eps := math.Sqrt(2*math.Log(1.25/delta)) / sigma
	if eps >= 1 {
		return 0, fault.New(
			fmt.Sprintf("the published Gaussian mechanism needs an epsilon below 1 per release: sigma %g gives %.4g", sigma, eps),
			fmt.Sprintf("take sigma above %g, or the sound accountant", digits.Up(math.Sqrt(2*math.Log(1.25/delta)), 6)))
	}
	return eps, nil
}

// GaussianLoss returns the loss of a view that is one Gaussian of squared shift
// energy/sigma^2. It returns 0 for no energy and +Inf for an infinite one.
func GaussianLoss(energy, sigma float64, m Metric) float64 {
	if energy == 0 || math.IsInf(energy, 1) {
		return energy
	}
	return m.GaussianView(energy / (sigma * sigma))
}

// TightGaussian returns the smallest sigma at which GaussianLoss is at most
// target. It returns an error for an infinite energy.
func TightGaussian(energy, target float64, m Metric) (Calibration, error) {
	if err := m.Check(); err != nil {
		return Calibration{}, err
	}
	if math.IsInf(energy, 1) {
		return Calibration{}, fault.New("no noise makes this private: somebody sees a sum without noise",
			"add noise there too (spread it, or do not release the total), or allow fewer colluders")
	}
	return Calibrate(func(sigma float64) float64 { return GaussianLoss(energy, sigma, m) }, LeastSigma, target)
}
