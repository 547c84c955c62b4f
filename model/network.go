package model

import (
	"math/rand/v2"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// Network is a small neural network: hidden layers of tanh units, and on top the
// cross entropy of as many outputs as there are classes (as Multinomial), or for 0
// classes half the squared difference of one output from the label.
//
// Its loss is not convex in the parameters, and neither smooth nor Lipschitz: the
// derivative in one layer is multiplied by the weights of the next, which nothing
// bounds. So it guarantees nothing beyond the effect of clipping, and only accountants
// that charge each release for itself apply.
type Network struct{ dense }

// NewNetwork returns a network with hidden layers of these widths, at least one.
func NewNetwork(classes int, hidden []int, intercept bool, weights []float64) Network {
	if classes == 1 || classes < 0 || len(hidden) == 0 || weights != nil && len(weights) != classes {
		panic("model: a network without hidden layers, for one class, or with other weights")
	}
	return Network{dense{hidden: hidden, head: head{classes, weights}, intercept: intercept}}
}

// Name returns "mlp".
func (Network) Name() string { return "mlp" }

// Guarantees states nothing but that the network classifies, if it does. Nothing is known of the
// steps for any bound.
func (n Network) Guarantees(bound float64) Guarantees {
	return Guarantees{
		loss: n.Name(), bound: extended(bound, n.intercept), smoothness: math.Inf(1), lipschitz: math.Inf(1), classifies: n.head.classes > 0,
	}
}

// A Starter begins from other parameters than zeros.
type Starter interface {
	Model
	// Start draws them, for rows of norm at most bound.
	Start(features int, bound float64, rng *rand.Rand) []float64
}

// Start draws the common initial parameters, because from zero all units of a
// layer would stay equal for ever. A hidden unit's weights are uniform. They are so small
// that its input has a standard deviation of at most about 1 for rows of norm at
// most bound (and, where nothing bounds them, for features of about 1). The last
// layer and all constants are zero, so that the first predictions are all equal.
func (n Network) Start(features int, bound float64, rng *rand.Rand) []float64 {
	l := n.layers(features)
	theta := make([]float64, l.params())
	l.each(theta, func(k int, weights, _ []float64) {
		if k+1 == l.count() {
			return
		}
		scale := 1 / math.Sqrt(float64(l.widths[k]))
		if k == 0 {
			scale = max(scale, 1/bound)
		}
		for i := range weights {
			weights[i] = float64(scale * math.Sqrt(3) * float64(float64(2*float64(rng.Float64()))-1))
		}
	})
	return theta
}
