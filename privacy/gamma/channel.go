package gamma

import (
	"cmp"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// A Channel is a mechanism that releases a number in a range, as it is carried out:
// values are rounded to one of so many levels, and what is released is one of finitely
// many numbers in the same range, each with a probability that is a whole number over
// a whole number. What Mu says is about these, so that nothing rests on the
// rounding of logarithms or of draws.
type Channel struct {
	levels  []float64  // that values are rounded to
	outputs []float64  // that are released
	weights [][]uint64 // of every output by level, at least 1
	totals  []uint64
}

const (
	inputs  = 17
	outputs = 64
	whole   = 1 << 52
)

// A cumulative is the probability that a mechanism releases less than at, given value,
// and that of what is not less.
type cumulative func(value, at float64) (below, above float64)

// newChannel is a mechanism truncated to a range: what would fall out of it becomes the
// end, which is a function of what the mechanism gives.
func newChannel(least, most float64, law cumulative) *Channel {
	c := &Channel{}
	for j := range inputs {
		c.levels = append(c.levels, least+float64((most-least)*float64(j)/(inputs-1)))
	}
	for k := range outputs {
		c.outputs = append(c.outputs, least+(most-least)*float64(k)/(outputs-1))
	}
	for _, x := range c.levels {
		weights, total := make([]uint64, outputs), uint64(0)
		below, above := 0.0, 1.0
		for k := range weights {
			nextBelow, nextAbove := 1.0, 0.0
			if k < outputs-1 {
				nextBelow, nextAbove = law(x, (c.outputs[k]+c.outputs[k+1])/2)
			}
			p := nextBelow - below
			if below > 0.5 {
				p = above - nextAbove
			}
			weights[k] = 1 + uint64(max(0, p)*whole)
			below, above = nextBelow, nextAbove
			total += weights[k]
		}
		c.weights, c.totals = append(c.weights, weights), append(c.totals, total)
	}
	return c
}

// Channel is the Gamma mechanism, truncated to its range (004, section IV).
func (g Mechanism) Channel() (*Channel, error) {
	if err := g.Check(); err != nil {
		return nil, err
	}
	return newChannel(g.Least, g.Most, func(x, at float64) (below, above float64) {
		return math.GammaTails(x/g.Theta, at/g.Theta)
	}), nil
}

// Laplace releases a number in [Least, Most] with noise of the Laplace law of a scale
// added: what 004 compares the Gamma mechanism with.
type Laplace struct{ Least, Most, Scale float64 }

// AtEqualVariance is Laplace noise as large as that of the Gamma mechanism at the
// middle of its range.
func (g Mechanism) AtEqualVariance() Laplace {
	return Laplace{g.Least, g.Most, math.Sqrt((g.Least + g.Most) / 2 * g.Theta / 2)}
}

// Channel is the mechanism, truncated to its range.
func (l Laplace) Channel() (*Channel, error) {
	if !(l.Least > 0 && l.Most > l.Least && l.Scale > 0) || math.IsInf(l.Most, 1) || math.IsInf(l.Scale, 1) {
		return nil, fault.New(fmt.Sprintf("Laplace noise of scale %g on values from %g to %g", l.Scale, l.Least, l.Most),
			"give two bounds, the lower above 0 and below the upper, and a scale above 0")
	}
	return newChannel(l.Least, l.Most, func(x, at float64) (below, above float64) {
		tail := float64(math.Exp(-math.Abs(at-x)/l.Scale) / 2)
		if at < x {
			return tail, 1 - tail
		}
		return 1 - tail, tail
	}), nil
}

// Draw releases x, moved into the range: one of the outputs.
func (c *Channel) Draw(x float64, r *rand.Rand) float64 {
	j := c.level(x)
	u := r.Uint64N(c.totals[j])
	for k, w := range c.weights[j] {
		if u < w {
			return c.outputs[k]
		}
		u -= w
	}
	panic("gamma: weights that do not add up")
}

// level is the place of the level nearest to x; of what is no number the first.
func (c *Channel) level(x float64) int {
	least, most := c.levels[0], c.levels[inputs-1]
	place := math.Round((x - least) / (most - least) * (inputs - 1))
	if !(place > 0) {
		return 0
	}
	return int(min(place, inputs-1))
}

// Releases reports whether x can be what the channel releases, but for the rounding of
// its decimals, and what it then is.
func (c *Channel) Releases(x float64) (output float64, ok bool) {
	width := (c.outputs[outputs-1] - c.outputs[0]) / (outputs - 1)
	for _, y := range c.outputs {
		if math.Abs(x-y) <= width*1e-6 {
			return y, true
		}
	}
	return 0, false
}

// Mu is the least mu such that what is released tells no two values apart better than
// a Gaussian of variance 1 does that is moved by mu (Dong, Roth and Su 2022: the
// channel is mu-GDP, and no smaller mu is). The best tests of two values take the
// outputs in the order of their likelihood ratio; between two of these tests the best
// mistakes lie on a straight line, above the curve of the Gaussian, which is convex. So
//
//	mu = max over pairs and tests of z(power) - z(level),
//
// z the quantile of the Gaussian.
func (c *Channel) Mu() float64 {
	mu := 0.0
	for i := range inputs {
		for j := range i {
			mu = max(mu, c.muBetween(i, j))
		}
	}
	return mu * (1 + 1e-9)
}

// muOfEnds is that of the two ends of the range, nearly always the largest.
func (c *Channel) muOfEnds() float64 { return c.muBetween(inputs-1, 0) }

func (c *Channel) muBetween(i, j int) float64 {
	p, q := c.weights[i], c.weights[j]
	order := make([]int, outputs)
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { // p_a/q_a > p_b/q_b first
		h1, l1 := bits.Mul64(p[a], q[b])
		h2, l2 := bits.Mul64(p[b], q[a])
		return cmp.Or(cmp.Compare(h2, h1), cmp.Compare(l2, l1))
	})
	mu, power, level := 0.0, uint64(0), uint64(0)
	for _, k := range order[:outputs-1] {
		power, level = power+p[k], level+q[k]
		mu = max(mu, quantile(power, c.totals[i])-quantile(level, c.totals[j]))
	}
	return mu
}

// quantile of the Gaussian at part/total, exact also near 1.
func quantile(part, total uint64) float64 {
	if part > total/2 {
		return -math.NormalQuantile(float64(total-part) / float64(total))
	}
	return math.NormalQuantile(float64(part) / float64(total))
}

// farthest is how many times its lowest a scale is tried: far beyond what leaves anything of
// a value.
const farthest = 1 << 14

// ChannelOf finds the least scale of at least lowest at which the loss of a channel is at most
// target, to a hundredth and from above; make gives the channel of a scale.
func ChannelOf(make func(scale float64) (*Channel, error), lowest, target float64, m privacy.Metric) (c *Channel, scale float64, err error) {
	allowed := func(mu float64) bool { return m.GaussianView(mu*mu) <= target }
	low, high := 0.0, lowest
	for {
		if c, err = make(high); err != nil {
			return nil, 0, err
		}
		if allowed(c.muOfEnds()) {
			break
		}
		if low, high = high, high*1.5; high > lowest*farthest {
			return nil, 0, fault.New(fmt.Sprintf("no useful scale of this noise brings the loss of a value down to %g", target),
				"allow a larger loss, bring the bounds closer together, or use Laplace noise")
		}
	}
	for high-low > 1e-2*high {
		middle := (low + high) / 2
		if c, err = make(middle); err != nil {
			return nil, 0, err
		}
		if allowed(c.muOfEnds()) {
			high = middle
		} else {
			low = middle
		}
	}
	for ; ; high *= 1.01 {
		if c, err = make(high); err != nil || allowed(c.Mu()) {
			return c, high, err
		}
	}
}
