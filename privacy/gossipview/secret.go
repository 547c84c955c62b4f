package gossipview

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// A SecretGraph describes averaging over a graph that is drawn in secret, once or for every turn (002, section 6.2.4), as
// observers see it who hear that many others in a turn. The law of the graph is the same under every renaming of nodes.
// Weights follow from the graph alone.
//
// A stranger is a node that the observers never hear. Given all that they know of the graph, strangers are exchangeable, so
// each has the mean leakage of all. Leakages are the diagonal of a projector, whose trace is its rank. Its rank is at most
// the number of observers and of messages that they hear. Observers and those that they hear in the first turn have leakage
// 1 each. The rest is shared out among the strangers, in every draw of the graph.
//
// The view of the messages is a mixture over draws. Divergences that are jointly convex in a pair of laws are at most the
// mean over draws: the hockey-stick divergence (delta), and exp((alpha-1) D_alpha).
type SecretGraph struct {
	Nodes     int
	Turns     int
	Observers int  // that pool their views
	Heard     int  // others that they hear in a turn
	Redrawn   bool // every turn has a graph of its own
}

// Check refuses numbers that no graph has.
func (g SecretGraph) Check() error {
	switch {
	case g.Turns < 0:
		return fault.New(fmt.Sprintf("gossip of %d steps", g.Turns), "give 0 steps or more")
	case g.Observers < 1 || g.Observers >= g.Nodes:
		return fault.New(fmt.Sprintf("%d observers among %d nodes", g.Observers, g.Nodes), "give 1 or more, and leave somebody to observe")
	case g.Heard < 0 || g.Heard > g.Nodes-g.Observers:
		return fault.New(fmt.Sprintf("%d observers of %d nodes hear %d others", g.Observers, g.Nodes, g.Heard), "give at most the number of others")
	}
	return nil
}

// Leakage returns a bound on the mean leakage of a stranger, from 0 to 1. Where turns have graphs of their own it is for
// observers that never hear anybody twice, who leave the fewest strangers.
func (g SecretGraph) Leakage() float64 {
	others, heard, later := float64(g.Nodes-g.Observers), float64(g.Heard), max(0, float64(g.Turns-1))
	left := min(others-heard, float64(later*heard))
	strangers := others - heard
	if g.Redrawn {
		strangers -= float64(later * heard)
	}
	if left >= strangers {
		return 1
	}
	return left / strangers * (1 + 0x1p-50)
}

// Claim returns the claim of Loss at Leakage.
func (g SecretGraph) Claim() privacy.Claim {
	drawn := "the graph is drawn"
	if g.Redrawn {
		drawn = "the graph of every turn is drawn"
	}
	pooling := apart
	if g.Observers > 1 {
		pooling = fmt.Sprintf("%d observers put together what they see, and nobody else with them", g.Observers)
	}
	return privacy.Bound("gossip on a secret graph, mean over draws", drawn+" without regard to data, by a law that no renaming of nodes changes, and observers learn of it their own rows only",
		"each node adds Gaussian noise to its value once, before the first message",
		"observers follow the protocol and keep all they receive",
		pooling,
		"weights follow from the graph, and what is known of them beside one's own row does not tell strangers apart",
		"values are linear in the noise: they meet the public box that confines them with probability below 2^-60",
	)
}

// MixtureLoss returns the largest loss of a view that is Gaussian given a secret draw whose leakage has at most that mean,
// from 0 to 1, at noise multiplier sigma > 0. At an order alpha it is ln E exp(alpha (alpha-1) V/(2 sigma^2)) over alpha-1,
// convex in the leakage V. At a delta it is the eps of the least concave function above delta(V). That V is 0 or 1 is the
// worst law in the first case, and that it is 0 or one other number in the second.
func MixtureLoss(mean, sigma float64, m privacy.Metric) float64 {
	local := m.GaussianView(1 / (sigma * sigma))
	switch {
	case mean == 0:
		return 0
	case m.Order != 0:
		above := m.Order - 1
		return min(local, math.Log1p(float64(mean*math.Expm1(float64(above*local))))/above*(1+0x1p-40))
	}
	enough := func(eps float64) bool { return mixtureDelta(mean, sigma, eps) <= m.Delta }
	if enough(0) {
		return 0
	}
	return privacy.Bisect(0, local, func(eps float64) bool { return eps >= local || enough(eps) })
}

// mixtureDelta returns the largest mean of delta(V) over laws of the leakage V with that mean: of V in [mean, 1], the most of
// mean/V delta(V). In terms of x = ln V, ln delta is concave (Prekopa 1973), so that ln delta - x has one maximum. Above it
// delta(V) is concave.
func mixtureDelta(mean, sigma, eps float64) float64 {
	least := math.Log(mean)
	value := func(x float64) float64 {
		return least - x + privacy.LogDeltaGaussian(math.Exp(x/2)/sigma, eps)
	}
	low, high := least, 0.0
	most := max(value(low), value(high))
	for range golden {
		width := float64(inverseGolden * (high - low))
		left, right := high-width, low+width
		a, b := value(left), value(right)
		if most = max(most, a, b); a > b {
			high = right
		} else {
			low = left
		}
	}
	return math.Exp(most) * (1 + 1e-9)
}

// golden is the number of steps of golden section, after which the maximum is missed by far less than a part in 1e9.
const golden, inverseGolden = 48, 0.6180339887498949
