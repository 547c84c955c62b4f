package sums

import "github.com/hearsay-dp/hearsay/internal/math"

// A composition adds up the losses of different mechanisms, each (eps_i,
// delta_i)-DP whatever came before it.
type composition struct {
	sum     float64 // of eps
	mean    float64 // of eps (e^eps - 1)/(e^eps + 1), the largest expected loss
	squares float64 // of eps^2
}

// add adds times mechanisms of loss eps.
func (c *composition) add(eps, times float64) {
	c.sum += float64(times * eps)
	c.mean += float64(times * eps * math.Tanh(eps/2))
	c.squares += float64(times * eps * eps)
}

// epsilon returns the loss of all mechanisms, except with probability slack
// (Kairouz, Oh and Viswanath 2015, Theorem 3.5): the least of three bounds. The
// mechanisms' deltas add to slack.
func (c composition) epsilon(slack float64) float64 {
	if c.sum == 0 {
		return 0
	}
	log := min(-math.Log(slack), math.Log(math.E+math.Sqrt(c.squares)/slack))
	return min(c.sum, c.mean+math.Sqrt(2*c.squares*log))
}
