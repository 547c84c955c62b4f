package privacy

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// Statistic summarises the losses of all pairs in one number.
type Statistic int

// The statistics that a calibration can target.
const (
	Mean Statistic = iota // over ordered pairs of distinct nodes
	Max
)

// String returns "mean" or "max".
func (s Statistic) String() string {
	if s == Max {
		return "max"
	}
	return "mean"
}

// A Calibration holds the smallest sigma that keeps a loss at or below a target, with
// its bracket. At Sigma the loss meets the target. At Low the loss is above the
// target, or Low is the smallest sigma allowed.
type Calibration struct {
	Sigma float64
	Low   float64
	Loss  float64 // at Sigma
	Steps int     // losses evaluated
}

// The range in which calibration searches for a sigma.
const (
	LeastSigma = 1e-6
	MostSigma  = 1e9
)

// bracketWidth is the relative width of the bracket at which the search ends.
const bracketWidth = 1e-12

// Calibrate returns the smallest sigma at or above floor > 0 whose loss is at most
// target, by bisection. The loss must fall as sigma grows. It returns an error if
// target is not positive and finite, or if the loss is still above target at a sigma
// of MostSigma or more.
func Calibrate(loss func(sigma float64) float64, floor, target float64) (Calibration, error) {
	if err := checkReach(target); err != nil {
		return Calibration{}, err
	}
	c := Calibration{Sigma: floor, Low: floor, Loss: loss(floor), Steps: 1}
	for !(c.Loss <= target) { // a NaN loss meets no target
		if c.Sigma >= MostSigma {
			return c, fault.New(fmt.Sprintf("a loss of %g needs a sigma above %g", target, MostSigma), "raise the target")
		}
		c.Low, c.Sigma = c.Sigma, 2*c.Sigma
		c.Loss = loss(c.Sigma)
		c.Steps++
	}
	c.narrow(loss, target, bracketWidth)
	return c, nil
}

// narrow bisects the bracket down to a relative width.
func (c *Calibration) narrow(loss func(sigma float64) float64, target, width float64) {
	for c.Sigma > c.Low*(1+width) {
		mid := c.Low + float64((c.Sigma-c.Low)/2)
		at := loss(mid)
		c.Steps++
		if at <= target {
			c.Sigma, c.Loss = mid, at
		} else {
			c.Low = mid
		}
	}
}

// CalibrateBelow calibrates an expensive loss that is never above a cheap one,
// quick. It calibrates on quick and then lowers sigma by loss, to a part in a million.
func CalibrateBelow(quick, loss func(sigma float64) float64, floor, target float64) (Calibration, error) {
	cal, err := Calibrate(quick, floor, target)
	if err == nil {
		cal.tighten(loss, floor, target, belowWidth)
	}
	return cal, err
}

const belowWidth = 1e-6

// tighten starts from a calibration on a larger, cheap loss. It goes down to the
// smallest sigma at or above floor by the expensive loss, to a relative width.
func (c *Calibration) tighten(loss func(sigma float64) float64, floor, target, width float64) {
	c.Low, c.Loss = c.Sigma, loss(c.Sigma)
	for c.Steps++; c.Sigma > floor; c.Steps++ {
		c.Low = max(floor, c.Sigma/1.25)
		at := loss(c.Low)
		if !(at <= target) {
			break
		}
		c.Sigma, c.Loss = c.Low, at
	}
	c.narrow(loss, target, width)
}

// Settle raises sigma until loss is at most target there: by an ulp, then by twice as
// much each time. It is for a sigma that comes from a closed form or from a sum in
// another order, and not from evaluating loss. The loss must fall as sigma grows, and
// be at most target somewhere below MostSigma.
func Settle(sigma, target float64, loss func(sigma float64) float64) float64 {
	for up := 0x1p-52; !(loss(sigma) <= target) && sigma < MostSigma; up *= 2 {
		sigma *= 1 + up
	}
	return sigma
}

// SmallestSigma inverts any accountant. It returns the smallest noise multiplier at or
// above floor > 0 whose loss is at most target > 0, by bisection. The loss must fall
// as sigma grows. A sigma that the accountant refuses counts as too small. If the
// accountant refuses every sigma, its error is returned.
func SmallestSigma(loss func(sigma float64) (float64, error), floor, target float64) (Calibration, error) {
	if err := CheckSigma(floor); err != nil {
		return Calibration{}, err
	}
	var refused error
	cal, err := Calibrate(func(sigma float64) float64 {
		var at float64
		if at, refused = loss(sigma); refused != nil {
			return math.Inf(1)
		}
		return at
	}, floor, target)
	if err != nil && refused != nil {
		return cal, refused
	}
	return cal, err
}

// SmallestGuaranteed inverts an accountant that returns a Guarantee, as SmallestSigma does. It
// finds the smallest sigma from LeastSigma on whose epsilon is at most eps, and
// returns the claim there.
func SmallestGuaranteed(loss func(sigma float64) (Guarantee, error), eps float64) (Claim, Calibration, error) {
	cal, err := SmallestSigma(func(sigma float64) (float64, error) {
		g, err := loss(sigma)
		return g.Epsilon, err
	}, LeastSigma, eps)
	if err != nil {
		return Claim{}, cal, err
	}
	g, err := loss(cal.Sigma)
	return g.Claim, cal, err
}

// A Noise holds a calibrated noise level and its claim.
type Noise struct {
	Claim
	Multiplier float64 // standard deviation divided by the sensitivity 2L
}

// Std returns the standard deviation to add to each coordinate of a gradient of an
// L-Lipschitz loss (or one clipped to norm L), whose sensitivity is 2L.
func (n Noise) Std(lipschitz float64) float64 { return n.Multiplier * 2 * lipschitz }

// A Limit holds the largest loss that some ordered pairs of nodes may have. Several
// limits are kept by the largest noise that any of them needs.
type Limit struct {
	Loss float64
	Of   func(u, v int) bool // u's data, v observes; nil: every pair of distinct nodes
}

// Concerns reports whether a pair of nodes is limited. It returns false for u = v.
func (l Limit) Concerns(u, v int) bool { return u != v && (l.Of == nil || l.Of(u, v)) }

// Worst returns the largest value over the limited pairs of n nodes, and whether there
// are any.
func (l Limit) Worst(n int, value func(u, v int) float64) (worst float64, some bool) {
	for u := range n {
		for v := range n {
			if l.Concerns(u, v) {
				some, worst = true, max(worst, value(u, v))
			}
		}
	}
	return worst, some
}

// Strictest returns the least sigma that keeps all limits. keep finds the sigma for
// one limit and whether the limit concerns any pair. If no limit does, the result is
// LeastSigma.
func Strictest(limits []Limit, keep func(Limit) (found Calibration, some bool, err error)) (most Calibration, err error) {
	most = Calibration{Sigma: LeastSigma, Low: LeastSigma}
	for _, l := range limits {
		found, some, err := keep(l)
		if err != nil {
			return found, err
		}
		if some && found.Sigma > most.Sigma {
			most = found
		}
	}
	return most, nil
}
