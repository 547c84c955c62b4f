package privacy

import (
	"fmt"
	"math"

	"hearsay/internal/fault"
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

// The range in which a sigma is looked for, and the relative width of the
// bracket that ends the search.
const (
	leastSigma   = 1e-6
	mostSigma    = 1e9
	bracketWidth = 1e-12
)

// Calibrate finds the smallest sigma whose mean or worst pairwise loss is at
// most target, by bisection. The loss falls as sigma grows.
func (p *Pairs) Calibrate(s Statistic, target float64, c Charge) (*WalkLosses, Calibration, error) {
	floor := leastSigma
	if c.Metric.Order > 1 {
		floor = max(floor, c.Condition.MinSigma(c.Metric.Order))
	}
	if err := c.check(floor); err != nil {
		return nil, Calibration{}, err
	}
	cal, err := smallestSigma(func(sigma float64) float64 {
		curve, maxOrder := c.curve(sigma)
		l := WalkLosses{Sigma: sigma, Charge: c, MaxOrder: maxOrder, pairs: p, curve: curve}
		if s == Max {
			return l.Max()
		}
		return l.Mean()
	}, floor, target)
	if err != nil {
		return nil, cal, err
	}
	losses, err := p.Losses(cal.Sigma, c)
	return losses, cal, err
}

// smallestSigma bisects a loss that falls as sigma grows, from floor on.
func smallestSigma(loss func(sigma float64) float64, floor, target float64) (Calibration, error) {
	if !(target > 0) || math.IsInf(target, 1) {
		return Calibration{}, fault.New(fmt.Sprintf("a loss of %g cannot be calibrated to", target), "give a target above 0")
	}
	c := Calibration{Sigma: floor, Low: floor, Loss: loss(floor), Steps: 1}
	for c.Loss > target {
		if c.Sigma >= mostSigma {
			return c, fault.New(fmt.Sprintf("a loss of %g needs a sigma above %g", target, mostSigma), "raise the target")
		}
		c.Low, c.Sigma = c.Sigma, 2*c.Sigma
		c.Loss = loss(c.Sigma)
		c.Steps++
	}
	for c.Sigma > c.Low*(1+bracketWidth) {
		mid := c.Low + (c.Sigma-c.Low)/2
		at := loss(mid)
		c.Steps++
		if at > target {
			c.Low = mid
		} else {
			c.Sigma, c.Loss = mid, at
		}
	}
	return c, nil
}
