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

// A Channel is a mechanism for a number in a range, in the discrete form that is carried out. It
// rounds a value to one of finitely many levels, and releases one of finitely many outputs in the
// same range. Every probability is a ratio of whole numbers. Mu is computed from these ratios, so
// that it does not depend on the rounding of logarithms or of draws.
type Channel struct {
	levels  []float64  // the levels that values are rounded to
	outputs []float64  // the numbers that can be released
	weights [][]uint64 // weights[j][k] is the weight of output k at level j, at least 1
	totals  []uint64
}

const (
	inputs  = 17
	outputs = 64
	whole   = 1 << 52
)

// A cumulative returns the probabilities that a mechanism, given value, releases a number below at,
// and one of at least at.
type cumulative func(value, at float64) (below, above float64)

// newChannel returns the discrete form of a mechanism, truncated to the range from least to most. A
// release outside the range becomes the nearer end, which is postprocessing.
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

// Channel returns the Gamma mechanism, truncated to its range (004, section IV).
func (g Mechanism) Channel() (*Channel, error) {
	if err := g.Check(); err != nil {
		return nil, err
	}
	return newChannel(g.Least, g.Most, func(x, at float64) (below, above float64) {
		return math.GammaTails(x/g.Theta, at/g.Theta)
	}), nil
}

// Laplace is a mechanism that releases a number in [Least, Most] with Laplace noise of a scale
// added. 004 compares the Gamma mechanism with it.
type Laplace struct{ Least, Most, Scale float64 }

// AtEqualVariance returns the Laplace mechanism whose noise has the variance of the Gamma mechanism
// in the middle of its range.
func (g Mechanism) AtEqualVariance() Laplace {
	return Laplace{g.Least, g.Most, math.Sqrt((g.Least + g.Most) / 2 * g.Theta / 2)}
}

// Channel returns the Laplace mechanism, truncated to its range.
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

// Draw releases x, clamped to the range, as one of the outputs.
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

// level returns the index of the level nearest to x. For NaN it returns 0.
func (c *Channel) level(x float64) int {
	least, most := c.levels[0], c.levels[inputs-1]
	place := math.Round((x - least) / (most - least) * (inputs - 1))
	if !(place > 0) {
		return 0
	}
	return int(min(place, inputs-1))
}

// Releases reports whether the channel can release x, up to the rounding of its decimals, and
// returns the output that x stands for.
func (c *Channel) Releases(x float64) (output float64, ok bool) {
	width := (c.outputs[outputs-1] - c.outputs[0]) / (outputs - 1)
	for _, y := range c.outputs {
		if math.Abs(x-y) <= width*1e-6 {
			return y, true
		}
	}
	return 0, false
}

// Mu returns the least mu for which the channel is mu-GDP (Dong, Roth and Su 2022): its output
// tells no two values apart better than a Gaussian of variance 1 that is shifted by mu. The best
// tests of two values take the outputs in the order of their likelihood ratio. Between two of these
// tests the best errors lie on a straight line, above the curve of the Gaussian, which is convex.
// So
//
//	mu = max over pairs and tests of z(power) - z(level),
//
// where z is the quantile of the Gaussian.
func (c *Channel) Mu() float64 {
	mu := 0.0
	for i := range inputs {
		for j := range i {
			mu = max(mu, c.muBetween(i, j))
		}
	}
	return mu * (1 + 1e-9)
}

// muOfEnds returns the mu of the two ends of the range, nearly always the largest of all pairs.
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

// quantile returns the quantile of the standard Gaussian at part/total. It is exact also near 1.
func quantile(part, total uint64) float64 {
	if part > total/2 {
		return -math.NormalQuantile(float64(total-part) / float64(total))
	}
	return math.NormalQuantile(float64(part) / float64(total))
}

// farthest bounds the scales that ChannelOf tries, as a multiple of the lowest. Noise far below
// that bound already hides the value entirely.
const farthest = 1 << 14

// ChannelOf returns a channel whose loss in metric m is at most target, and its scale. The scale is
// at least lowest, and above the least possible scale by at most a hundredth. make returns the
// channel of a scale. It is an error if no scale up to farthest times lowest is enough.
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
