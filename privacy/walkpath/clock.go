package walkpath

import "github.com/hearsay-dp/hearsay/internal/math"

// The accounting of falling step sizes, g_j = c/(j+1)^q in turn j = 0, 1, ..
//
// A turn moves the token by g_j times a clipped gradient plus g_j sigma times a standard Gaussian, in units
// of the sensitivity. As in the constant case, shifted interpolation lets the noise of turn j hide a part
// a_j of the distance between the two tokens, at the price (a_j/(g_j sigma))^2. The parts hide no more than
// the distance, a_1+..+a_j <= S_j, where S_j is the sum of g_i over the contributions up to turn j. At the
// end they hide all of it. So
//
//	V = min { sum a_j^2/g_j^2 : a_1+..+a_j <= S_j, a_1+..+a_l = S_l }.
//
// Let the clock advance by g_j^2 in turn j, and let A be the piecewise linear function through the sums of
// a_j. Its slope in turn j is a_j/g_j^2, so that V is the integral of the squared slope of A. The best A is
// the greatest convex minorant of the staircase S over this clock. The common factor c cancels. Every step
// must be at most 2/smoothness, which holds if the first step is.
//
// Later noise is smaller, so that V is never below that of constant steps. V is the largest (sum z_j
// c_j)^2/sum z_j^2 over z with z_j/g_j >= 0 not falling, where c_j = 1 if u contributes, and there are more
// such z when g falls. The later an excursion of the same shape is, the less it costs, but never as little
// as with constant steps.
type clock struct {
	at   []float64 // clock before every turn and after the last, rising to 0
	size []float64 // step size of every turn; nil: all are 1
}

// clockOf tabulates the clock of a walk whose step sizes fall with a power. Clocks are sums from the end,
// so that late steps do not lose precision.
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

// contribution returns the size of a contribution in a turn.
func (c clock) contribution(turn int) float64 {
	if c.size == nil {
		return 1
	}
	return c.size[turn]
}

// after returns the clock after a turn.
func (c clock) after(turn int) float64 { return c.at[min(turn+1, len(c.at)-1)] }

// clockRounding bounds the relative error of an energy over a rounded clock, at up to 10^8 turns. The
// rounding error of a sum of g^2 from the end is at most about turns times that of one number.
const clockRounding = 1e-6

// outward moves an energy by its rounding error: up, or down for an audit.
func (c clock) outward(energy float64, audit bool) float64 {
	switch {
	case c.size == nil:
		return energy
	case audit:
		return energy * (1 - clockRounding)
	}
	return energy * (1 + clockRounding)
}
