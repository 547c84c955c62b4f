package budget

import (
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// A Loss bounds the privacy loss towards an observer in a run, in a form that adds up over runs. Except with probability
// Failure, MuSquared and Moments are bounds, each by itself. Epsilon with Delta is a further bound.
type Loss struct {
	MuSquared float64   `json:"mu_squared"`        // every view reveals at most one Gaussian of this squared shift over noise
	Moments   []float64 `json:"moments,omitempty"` // Renyi divergences at Orders(); nil: those of the Gaussian
	Failure   float64   `json:"failure,omitempty"`

	// The loss is also (Epsilon, Delta), by the accountant of the plan. Epsilon is the largest number if that is
	// not known.
	Epsilon float64 `json:"epsilon"`
	Delta   float64 `json:"delta"`
}

// orders counts the Renyi orders; perDoubling counts those per doubling of the distance from 1.
const orders, perDoubling = 61, 4

// Orders returns the Renyi orders at which moments are kept, from 1 + 1/16 to 2049.
func Orders() []float64 {
	all := make([]float64, orders)
	for k := range all {
		all[k] = 1 + math.Exp2(float64(float64(k)/perDoubling)-4)
	}
	return all
}

// Gaussian returns the loss of a view that reveals at most one Gaussian of the given squared shift
// over noise.
func Gaussian(muSquared float64) Loss {
	return Loss{MuSquared: finite(muSquared), Epsilon: math.MaxFloat64}
}

// Curve returns the loss of a view with Renyi divergence rdp(order) that also reveals at most a Gaussian of squared shift
// muSquared.
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

// finite returns x, or the largest number if x is infinite, because JSON has no infinity.
func finite(x float64) float64 { return min(x, math.MaxFloat64) }

// moments returns the Renyi divergences at all orders.
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

// Worst returns a bound on both losses, which belong to two observers.
func Worst(a, b Loss) Loss {
	return join(a, b, func(x, y float64) float64 { return max(x, y) })
}

// Least returns the smaller loss, number by number, if a and b both bound the same loss.
func Least(a, b Loss) Loss {
	l := join(a, b, func(x, y float64) float64 { return min(x, y) })
	l.Failure, l.Delta = max(a.Failure, b.Failure), max(a.Delta, b.Delta)
	return l
}

// Sum returns the loss of several runs together, also if later runs depend on earlier ones. Gaussians compose to one whose
// squared shift is the sum (Dong, Roth and Su 2022, Corollary 3.3). Renyi divergences add (Mironov 2017, Proposition 1), as do
// epsilons and deltas.
func Sum(all ...Loss) (total Loss) {
	for _, l := range all {
		total = join(total, l, func(x, y float64) float64 { return finite(x + y) })
	}
	return total
}

// join combines two losses number by number with of.
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

// At returns the epsilon at a delta in (0, 1): the smallest that the Gaussian, the moments and
// (Epsilon, Delta) give.
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
