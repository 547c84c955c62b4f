package privacy

import (
	"fmt"
	"math"

	"hearsay/internal/fault"
)

// A Noise is a calibrated noise level with what stands behind it.
type Noise struct {
	Claim
	Multiplier float64 // standard deviation divided by the sensitivity 2L
}

// Std is the standard deviation added to each coordinate of a gradient of an
// L-Lipschitz loss (or one clipped to norm L), whose sensitivity is 2L.
func (n Noise) Std(lipschitz float64) float64 { return n.Multiplier * 2 * lipschitz }

// checkTarget reports an (eps, delta) that cannot be calibrated to.
func checkTarget(eps, delta float64) error {
	if !(eps > 0) || math.IsInf(eps, 1) {
		return fault.New(fmt.Sprintf("epsilon %g cannot be calibrated to", eps), "give an epsilon above 0")
	}
	return Metric{Delta: delta}.Check()
}

// checkCount reports a count below 1.
func checkCount(count int, of string) error {
	if count < 1 {
		return fault.New(fmt.Sprintf("%d %s", count, of), "give at least 1")
	}
	return nil
}

// checkSigma reports a noise multiplier that is not positive and finite.
func checkSigma(sigma float64) error {
	if !(sigma > 0) || math.IsInf(sigma, 1) {
		return fault.New(fmt.Sprintf("noise multiplier sigma %g is not positive", sigma), "give a sigma above 0")
	}
	return nil
}
