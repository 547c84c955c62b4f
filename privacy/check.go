package privacy

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sparse"
)

// CheckNodes returns an error for a graph too small to hide anybody: below 3
// nodes.
func CheckNodes(nodes int) error {
	if nodes < 3 {
		return fault.New(fmt.Sprintf("a walk on %d nodes hides nobody", nodes), "give at least 3 nodes")
	}
	return nil
}

// CheckTarget returns an error for an (eps, delta) that no noise can be calibrated
// to.
func CheckTarget(eps, delta float64) error {
	if !(eps > 0) || math.IsInf(eps, 1) {
		return fault.New(fmt.Sprintf("epsilon %g cannot be calibrated to", eps), "give an epsilon above 0")
	}
	return Metric{Delta: delta}.Check()
}

// CheckCount returns an error for a count below 1. of names the counted things.
func CheckCount(count int, of string) error {
	if count < 1 {
		return fault.New(fmt.Sprintf("%d %s", count, of), "give at least 1")
	}
	return nil
}

// LargestSigma is the largest noise multiplier that accountants price.
const LargestSigma = 1e12

// CheckSigma returns an error for a noise multiplier outside [LeastSigma,
// LargestSigma]. Beyond it squares and exponents leave the range of floats. A loss
// of 10^12, or a model under such noise, is of no use.
func CheckSigma(sigma float64) error {
	switch {
	case !(sigma > 0) || math.IsInf(sigma, 1):
		return fault.New(fmt.Sprintf("noise multiplier sigma %g is not positive", sigma), "give a sigma above 0")
	case sigma < LeastSigma:
		return fault.New(fmt.Sprintf("noise multiplier sigma %g is as good as none", sigma), fmt.Sprintf("give a sigma of at least %g", LeastSigma))
	case sigma > LargestSigma:
		return fault.New(fmt.Sprintf("noise multiplier sigma %g is more than accountants price", sigma), fmt.Sprintf("give a sigma of at most %g", LargestSigma))
	}
	return nil
}

// checkReach returns an error for a target loss that is not positive and finite.
func checkReach(target float64) error {
	if !(target > 0) || math.IsInf(target, 1) {
		return fault.New(fmt.Sprintf("a loss of %g cannot be calibrated to", target), "give a target above 0")
	}
	return nil
}

// CheckLoss returns an error for a loss of one mechanism that is not positive and
// finite.
func CheckLoss(eps float64) error {
	if !(eps > 0) || math.IsInf(eps, 1) {
		return fault.New(fmt.Sprintf("epsilon %g of one mechanism is not positive", eps), "give an epsilon above 0")
	}
	return nil
}

// CheckDeltas returns an error for the first delta outside (0, 1).
func CheckDeltas(deltas ...float64) error {
	for _, d := range deltas {
		if !(d > 0 && d < 1) {
			return fault.New(fmt.Sprintf("delta %g is not between 0 and 1", d), "give a delta such as 1e-6")
		}
	}
	return nil
}

// RowTolerance bounds the deviation of a row's sum from 1, and of W from its
// transpose.
const RowTolerance = 1e-9

// CheckStochastic returns an error for the first row that is not a probability
// law, up to RowTolerance. The matrix must be of order at least 2.
func CheckStochastic(w *sparse.Matrix) error {
	if w.N < 2 {
		return fault.New(fmt.Sprintf("a walk on %d nodes has no pair of nodes", w.N), "give a graph of at least 2 nodes")
	}
	for u := range w.N {
		sum := 0.0
		columns, values := w.Row(u)
		for k, p := range values {
			if !(p >= 0) {
				return fault.New(fmt.Sprintf("transition probability %g from node %d to %d is not one", p, u, columns[k]),
					"give a stochastic matrix")
			}
			sum += p
		}
		if !(math.Abs(sum-1) <= RowTolerance) {
			return fault.New(fmt.Sprintf("transition probabilities of node %d sum to %g, not 1", u, sum), "give a stochastic matrix")
		}
	}
	return nil
}
