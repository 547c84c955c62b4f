package budget

import (
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// A Loss is what somebody may learn in a run, in a form that adds up over runs. Its fields are bounds, each by itself, but for
// probability Failure.
type Loss struct {
	MuSquared float64   `json:"mu_squared"`        // no view tells more than one Gaussian of this squared shift over noise
	Moments   []float64 `json:"moments,omitempty"` // Renyi divergences at the orders of Orders; none: those of the Gaussian
	Failure   float64   `json:"failure,omitempty"`

	// The loss is also (Epsilon, Delta), by the accountant of the plan; the largest number where that is not known.
	Epsilon float64 `json:"epsilon"`
	Delta   float64 `json:"delta"`
}

// count of orders, and how many there are up to twice as far above 1.
const orders, perDoubling = 61, 4

// Orders are those at which moments are kept: from 1 + 1/16 to 2049.
func Orders() []float64 {
	all := make([]float64, orders)
	for k := range all {
		all[k] = 1 + math.Exp2(float64(float64(k)/perDoubling)-4)
	}
	return all
}

// Gaussian is the loss of a view that tells no more than one Gaussian.
func Gaussian(muSquared float64) Loss {
	return Loss{MuSquared: finite(muSquared), Epsilon: math.MaxFloat64}
}

// Curve is the loss of a view whose Renyi divergence is known at all orders, besides that it tells no more than a Gaussian.
func Curve(muSquared float64, rdp func(order float64) float64) Loss {
	l, gaussian := Gaussian(muSquared), true
	for _, order := range Orders() {
		most := order * l.MuSquared / 2
		m := min(finite(most), finite(rdp(order)))
		gaussian = gaussian && m >= most*(1-1e-12)
		l.Moments = append(l.Moments, m)
	}
	if gaussian {
		l.Moments = nil
	}
	return l
}

// finite is x, or the largest number where it has no end: JSON has no infinity.
func finite(x float64) float64 { return min(x, math.MaxFloat64) }

// moments are the divergences at all orders.
func (l Loss) moments() []float64 {
	if l.Moments != nil {
		return l.Moments
	}
	all := Orders()
	for k, order := range all {
		all[k] = finite(order * l.MuSquared / 2)
	}
	return all
}

// Worst is a bound of both losses, whoever of the two observers looks.
func Worst(a, b Loss) Loss {
	return join(a, b, func(x, y float64) float64 { return max(x, y) })
}

// Least is a loss that both bound.
func Least(a, b Loss) Loss {
	l := join(a, b, func(x, y float64) float64 { return min(x, y) })
	l.Failure, l.Delta = max(a.Failure, b.Failure), max(a.Delta, b.Delta)
	return l
}

// Sum is the loss of several runs together, adaptively too: Gaussians compose to one whose squared shift is the sum (Dong, Roth
// and Su 2022, Corollary 3.3), Renyi divergences add (Mironov 2017, Proposition 1), as do epsilons and deltas.
func Sum(all ...Loss) (total Loss) {
	for _, l := range all {
		total = join(total, l, func(x, y float64) float64 { return finite(x + y) })
	}
	return total
}

// join is a loss of two, number by number.
func join(a, b Loss, of func(x, y float64) float64) Loss {
	l := Loss{MuSquared: of(a.MuSquared, b.MuSquared), Failure: of(a.Failure, b.Failure), Epsilon: of(a.Epsilon, b.Epsilon), Delta: of(a.Delta, b.Delta)}
	if a.Moments == nil && b.Moments == nil {
		return l
	}
	other := b.moments()
	l.Moments = slices.Clone(a.moments())
	for k := range l.Moments {
		l.Moments[k] = of(l.Moments[k], other[k])
	}
	return l
}

// At is the epsilon at a delta in (0, 1): the least of what Gaussian, moments and epsilons say.
func (l Loss) At(delta float64) float64 {
	least := math.Inf(1)
	if l.Delta <= delta {
		least = l.Epsilon
	}
	left := delta - l.Failure
	if !(left > 0) {
		return least
	}
	least = min(least, privacy.EpsilonGaussian(math.Sqrt(l.MuSquared), left))
	if l.Moments == nil {
		return least
	}
	for k, order := range Orders() {
		least = min(least, privacy.Tightest.Epsilon(order, l.Moments[k], left))
	}
	return least
}
