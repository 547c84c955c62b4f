package walkpath

import "github.com/hearsay-dp/hearsay/internal/math"

// Step sizes g_j that fall, g_j = c/(j+1)^q in turn j = 0, 1, ..
//
// A turn moves the token by g_j times a clipped gradient and g_j sigma times a
// standard Gaussian, in units of the sensitivity. As in the constant case,
// shifted interpolation lets the noise of turn j hide a part a_j of how far
// apart the two tokens may be, at the price (a_j/(g_j sigma))^2; the parts hide
// no more than there is, a_1+..+a_j <= S_j, S_j the sum of g_i over the
// contributions up to turn j, and all of it at the end. So
//
//	V = min { sum a_j^2/g_j^2 : a_1+..+a_j <= S_j, a_1+..+a_l = S_l }.
//
// Let the clock run by g_j^2 in turn j, and A be the straight lines through
// the sums of a_j: its slope in turn j is a_j/g_j^2, so V is the integral of the
// squared slope of A, and the best A is the greatest convex minorant of the
// staircase S over this clock. The common factor c cancels. Every step must be
// at most 2/smoothness, which the first is if any.
//
// Later noise is less, so that V is never below that of constant steps: it is
// the largest (sum z_j c_j)^2/sum z_j^2 over z with z_j/g_j >= 0 not falling,
// c_j = 1 where u contributes, and there are more such z when g falls. The same
// shape of an excursion costs the less the later it is, but never as little.
type clock struct {
	at   []float64 // clock before every turn and after the last, rising to 0
	size []float64 // step size of every turn; nil: all are 1
}

// clockOf tabulates the step sizes of a walk. Clocks are sums from the end, so
// that they are as fine as the late steps need them.
func clockOf(turns int, power float64) clock {
	c := clock{at: make([]float64, turns+1)}
	if power == 0 {
		for t := range c.at {
			c.at[t] = float64(t)
		}
		return c
	}
	c.size = make([]float64, turns)
	for t := turns - 1; t >= 0; t-- {
		c.size[t] = math.Pow(float64(t+1), -power)
		c.at[t] = c.at[t+1] - float64(c.size[t]*c.size[t])
	}
	return c
}

// contribution is the size of a contribution in a turn.
func (c clock) contribution(turn int) float64 {
	if c.size == nil {
		return 1
	}
	return c.size[turn]
}

// after is the clock when a turn is over.
func (c clock) after(turn int) float64 { return c.at[min(turn+1, len(c.at)-1)] }

// clockRounding bounds the relative error of an energy over a clock that was
// rounded, at up to 10^8 turns: rounding of a
// sum of g^2 from the end is at most about turns times that of one number.
const clockRounding = 1e-6

// outward moves an energy by its rounding: up, or down for an audit.
func (c clock) outward(energy float64, audit bool) float64 {
	switch {
	case c.size == nil:
		return energy
	case audit:
		return energy * (1 - clockRounding)
	}
	return energy * (1 + clockRounding)
}
