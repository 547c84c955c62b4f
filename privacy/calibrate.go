package privacy

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// Statistic summarises the losses of all pairs in one number.
type Statistic int

// What can be calibrated.
const (
	Mean Statistic = iota // over ordered pairs of distinct nodes
	Max
)

// String is "mean" or "max".
func (s Statistic) String() string {
	if s == Max {
		return "max"
	}
	return "mean"
}

// A Calibration is the smallest sigma that keeps a loss at or below a target,
// with its bracket: at Low the loss is above the target (or sigma may not be
// smaller), at Sigma it is not.
type Calibration struct {
	Sigma float64
	Low   float64
	Loss  float64 // at Sigma
	Steps int     // losses evaluated
}

// The range in which a sigma is looked for.
const (
	LeastSigma = 1e-6
	MostSigma  = 1e9
)

// bracketWidth is the relative width of the bracket that ends the search.
const bracketWidth = 1e-12

// Calibrate is the smallest sigma at or above floor > 0 whose loss is at most
// target, by bisection. The loss must fall as sigma grows. It is an error if
// target is not positive and finite, or needs a sigma above MostSigma.
func Calibrate(loss func(sigma float64) float64, floor, target float64) (Calibration, error) {
	if err := checkReach(target); err != nil {
		return Calibration{}, err
	}
	c := Calibration{Sigma: floor, Low: floor, Loss: loss(floor), Steps: 1}
	for !(c.Loss <= target) { // a loss that is no number meets no target
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

// narrow bisects down to a relative width.
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

// CalibrateBelow is Calibrate of a loss that takes long to work out and is never above
// another one that does not, to a part in a million.
func CalibrateBelow(quick, loss func(sigma float64) float64, floor, target float64) (Calibration, error) {
	cal, err := Calibrate(quick, floor, target)
	if err == nil {
		cal.tighten(loss, floor, target, belowWidth)
	}
	return cal, err
}

const belowWidth = 1e-6

// tighten goes on from a calibration on a larger loss that is cheap, to the
// smallest sigma at or above floor by one that is dear, to a relative width.
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

// Settle raises a sigma that was found in another way than by evaluating loss, a
// closed form or a sum in another order, until loss is at most target there: by
// an ulp, then by twice as much each time. The loss must fall as sigma grows,
// and be at most target somewhere below MostSigma.
func Settle(sigma, target float64, loss func(sigma float64) float64) float64 {
	for up := 0x1p-52; !(loss(sigma) <= target) && sigma < MostSigma; up *= 2 {
		sigma *= 1 + up
	}
	return sigma
}

// SmallestSigma inverts any accountant: it is the smallest noise multiplier at
// or above floor > 0 whose loss is at most target > 0, by bisection. The loss
// must fall as sigma grows; a sigma that the accountant refuses counts as too
// small. If it refuses all, that is the error.
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

// SmallestGuaranteed is SmallestSigma of an accountant that comes with its delta,
// for the least epsilon at most eps, from LeastSigma on; with what stands behind it.
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

// A Noise is a calibrated noise level with what stands behind it.
type Noise struct {
	Claim
	Multiplier float64 // standard deviation divided by the sensitivity 2L
}

// Std is the standard deviation added to each coordinate of a gradient of an
// L-Lipschitz loss (or one clipped to norm L), whose sensitivity is 2L.
func (n Noise) Std(lipschitz float64) float64 { return n.Multiplier * 2 * lipschitz }

// A Limit is the largest loss that some ordered pairs of nodes may have. Several are
// kept by the noise that each of them asks for at most.
type Limit struct {
	Loss float64
	Of   func(u, v int) bool // u's data, v observes; nil: every pair of different nodes
}

// Concerns reports whether a pair of different nodes is limited.
func (l Limit) Concerns(u, v int) bool { return u != v && (l.Of == nil || l.Of(u, v)) }

// Worst is the largest value of n nodes' pairs that are limited, and whether there are
// any.
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

// Strictest is the least sigma that keeps all limits, where keep finds that of one and
// whether the limit concerns anybody; LeastSigma where none does.
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
