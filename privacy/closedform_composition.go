package privacy

import (
	"fmt"
	"math"

	"hearsay/internal/fault"
)

// A Guarantee is (Epsilon, Delta)-differential privacy with what stands
// behind it.
type Guarantee struct {
	Claim
	Epsilon float64 // >= 0, +Inf where there is none
	Delta   float64 // may exceed 1, which promises nothing
}

// AdvancedComposition is the loss of k mechanisms of loss eps each but for
// probability deltaPrime (Dwork, Rothblum and Vadhan 2010; the form of 002,
// Theorem 5.5):
//
//	sqrt(2 k ln(1/deltaPrime)) eps + k eps (exp(eps) - 1).
//
// Their deltas add to deltaPrime. k need not be whole.
func AdvancedComposition(k, eps, deltaPrime float64) float64 {
	return math.Sqrt(2*k*-math.Log(deltaPrime))*eps + k*eps*math.Expm1(eps)
}

// A composition adds up the losses of different mechanisms, each (eps_i,
// delta_i)-DP whatever came before it.
type composition struct {
	sum     float64 // of eps
	mean    float64 // of eps (e^eps - 1)/(e^eps + 1), the largest expected loss
	squares float64 // of eps^2
}

// add counts times mechanisms of loss eps.
func (c *composition) add(eps, times float64) {
	c.sum += times * eps
	c.mean += times * eps * math.Tanh(eps/2)
	c.squares += times * eps * eps
}

// epsilon is the loss of all but for probability slack (Kairouz, Oh and
// Viswanath 2015, Theorem 3.5): the least of three bounds. Their deltas add to
// slack.
func (c composition) epsilon(slack float64) float64 {
	if c.sum == 0 {
		return 0
	}
	log := min(-math.Log(slack), math.Log(math.E+math.Sqrt(c.squares)/slack))
	return min(c.sum, c.mean+math.Sqrt(2*c.squares*log))
}

// checkLoss reports a loss of one mechanism that is not positive and finite.
func checkLoss(eps float64) error {
	if !(eps > 0) || math.IsInf(eps, 1) {
		return fault.New(fmt.Sprintf("epsilon %g of one mechanism is not positive", eps), "give an epsilon above 0")
	}
	return nil
}

// checkDeltas reports the first delta that is no probability of failure.
func checkDeltas(deltas ...float64) error {
	for _, d := range deltas {
		if !(d > 0 && d < 1) {
			return fault.New(fmt.Sprintf("delta %g is not between 0 and 1", d), "give a delta such as 1e-6")
		}
	}
	return nil
}

// ClassicalEpsilon is the loss of one Gaussian release at a delta by 002,
// Proposition 3.7: sqrt(2 ln(1.25/delta))/sigma, which holds below 1 only.
// EpsilonGaussian is the exact one.
func ClassicalEpsilon(sigma, delta float64) (float64, error) {
	if err := firstError(checkSigma(sigma), checkDeltas(delta)); err != nil {
		return 0, err
	}
	eps := math.Sqrt(2*math.Log(1.25/delta)) / sigma
	if eps >= 1 {
		return 0, fault.New(
			fmt.Sprintf("the published Gaussian mechanism needs an epsilon below 1 per release: sigma %g gives %.4g", sigma, eps),
			fmt.Sprintf("take sigma above %.6g, or the sound accountant", math.Sqrt(2*math.Log(1.25/delta))))
	}
	return eps, nil
}

// gaussianLoss is the loss of a view that is one Gaussian of squared shift
// energy/sigma^2: 0 for no energy, +Inf for an endless one.
func gaussianLoss(energy, sigma float64, m Metric) float64 {
	if energy == 0 || math.IsInf(energy, 1) {
		return energy
	}
	return m.gaussianView(energy / (sigma * sigma))
}

// tightGaussian is the smallest sigma at which such a view loses at most
// target.
func tightGaussian(energy, target float64, m Metric) (Calibration, error) {
	if err := m.Check(); err != nil {
		return Calibration{}, err
	}
	if math.IsInf(energy, 1) {
		return Calibration{}, fault.New("no noise makes this private: somebody sees a sum without noise",
			"add noise there too (spread it, or do not release the total), or allow fewer colluders")
	}
	return smallestSigma(func(sigma float64) float64 { return gaussianLoss(energy, sigma, m) }, leastSigma, target)
}
