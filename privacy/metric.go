package privacy

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// A Metric is the unit of a loss: Renyi divergence at an Order above 1, or eps
// at a Delta in (0, 1) by a Conversion. Exactly one of Order and Delta is set.
type Metric struct {
	Order      float64
	Delta      float64
	Conversion Conversion
}

// String returns the name of the metric in reports: "Renyi at order 2" or
// "epsilon at delta 1e-06".
func (m Metric) String() string {
	if m.Order != 0 {
		return fmt.Sprintf("Renyi at order %g", m.Order)
	}
	return fmt.Sprintf("epsilon at delta %g", m.Delta)
}

// Check returns an error unless exactly one of Order and Delta is set and is in
// its range.
func (m Metric) Check() error {
	switch {
	case (m.Order != 0) == (m.Delta != 0):
		return fault.New(fmt.Sprintf("a metric with order %g and delta %g", m.Order, m.Delta),
			"give either a Renyi order above 1 or a delta between 0 and 1")
	case m.Order != 0 && !(m.Order > 1 && !math.IsInf(m.Order, 1)):
		return fault.New(fmt.Sprintf("Renyi order %g is not above 1", m.Order), "give an order such as 2")
	case m.Delta != 0 && !(m.Delta > 0 && m.Delta < 1):
		return fault.New(fmt.Sprintf("delta %g is not between 0 and 1", m.Delta), "give a delta such as 1e-6, well below 1/nodes")
	}
	return nil
}

// GaussianView returns the loss of a view that is exactly Gaussian with the
// given squared shift over noise. It is alpha*muSquared/2 at order alpha, or
// the exact eps at delta. muSquared >= 0, and m must pass Check.
func (m Metric) GaussianView(muSquared float64) float64 {
	if m.Order != 0 {
		return m.Order * muSquared / 2
	}
	return EpsilonGaussian(math.Sqrt(muSquared), m.Delta)
}

// GaussianRDP returns the loss of the RDP curve alpha*muSquared/2 in this
// metric. An epsilon is minimised over all orders.
func (m Metric) GaussianRDP(muSquared float64) float64 {
	if m.Order != 0 {
		return m.Order * muSquared / 2
	}
	if muSquared == 0 {
		return 0
	}
	order := m.Conversion.BestOrder(muSquared/2, -math.Log(m.Delta))
	return m.Conversion.Epsilon(order, order*muSquared/2, m.Delta)
}

// A Condition is a lower bound on sigma at order alpha. The published walk loss
// needs it for weak convexity of the Renyi divergence (002, Proposition D.10).
type Condition int

// The two conditions.
const (
	// Needed is sigma^2 >= alpha(alpha-1)/2: the divergence of one step,
	// alpha/(2 sigma^2), is at most 1/(alpha-1).
	Needed Condition = iota
	// Printed is sigma^2 >= 2 alpha(alpha-1), as in 002, equation D.11.
	Printed
)

// factor returns k in alpha(alpha-1) <= k sigma^2.
func (c Condition) factor() float64 {
	if c == Printed {
		return 0.5
	}
	return 2
}

// String returns the condition as a formula.
func (c Condition) String() string {
	if c == Printed {
		return "sigma^2 >= 2 alpha (alpha-1)"
	}
	return "sigma^2 >= alpha (alpha-1)/2"
}

// MaxOrder returns the largest order that the condition allows at sigma > 0.
func (c Condition) MaxOrder(sigma float64) float64 {
	k := float64(2 * c.factor() * sigma * sigma)
	return 1 + k/(1+math.Sqrt(1+float64(2*k)))
}

// MinSigma returns the smallest sigma that the condition allows at an order.
func (c Condition) MinSigma(order float64) float64 {
	return math.Sqrt(order * (order - 1) / c.factor())
}
