package flow

import "github.com/hearsay-dp/hearsay/internal/math"

// The optimum is a convex quadratic program. With p the price of a unit that arrives
// (its derivative of half the energy) and q that of a unit left, a plan is optimal
// exactly if
//
//	a = c                        where all must be absorbed,
//	a = min(c, variance * q)     elsewhere,    p = min(c/variance, q).
//
// The solver guesses where a is whole, a = c, and where it is free, a = variance*q.
// Conjugate gradients solve the remaining linear equations. A product with their
// matrix is a flow forward and its prices backward. Then the guess is corrected (an
// active set, or semismooth Newton, method).

// effort limits the work of a solver.
type effort struct {
	guesses    int     // guesses of roles
	gradients  int     // conjugate gradients for each guess
	inner      float64 // residual that ends the gradients, relative to their start
	precise    float64 // residual that ends the solver, relative to the root of the energy
	remembered bool    // keep the best plan, not the last
}

// solve improves the plan and returns the least energies of its certificates, one a
// source, and the best plan if it is remembered.
func (b *block) solve(work effort) (energies []float64, best [][]float64) {
	c, r, d := b.rounds(), b.rounds(), b.rounds()
	energies = b.start(c)
	best = b.keep(best, work)
	for guess := range work.guesses {
		b.guess = guess
		b.descend(c, r, d, work)
		now := b.certify(c)
		better := false
		for k, e := range now {
			if e < energies[k] {
				energies[k], better = e, true
			}
		}
		if better {
			best = b.keep(best, work)
		}
		if b.retarget(c, now) <= work.precise {
			break
		}
	}
	return energies, best
}

// keep copies the plan, if it is to be remembered.
func (b *block) keep(best [][]float64, work effort) [][]float64 {
	if !work.remembered {
		return nil
	}
	if best == nil {
		best = b.rounds()
	}
	for t := range best {
		copy(best[t], b.plan[t])
	}
	return best
}

// start absorbs only at the observers' messages and returns the energies. Its first
// guess of roles is free wherever anything arrives.
func (b *block) start(c [][]float64) []float64 {
	energies := b.certify(c)
	for t := range c {
		for j := range b.n {
			std, stop := b.noise[t].at(j), b.stops[t][j]
			for k := j * b.cols; k < (j+1)*b.cols; k++ {
				switch {
				case stop || std > 0 && c[t][k] == 0:
					b.roles[t][k] = whole
				case std == 0:
					b.roles[t][k] = none
				default:
					b.roles[t][k] = free
				}
			}
		}
	}
	return energies
}

// retarget guesses roles from the prices of a certified plan, whose differences are
// c. It returns the distance of the worst source from optimal: the length of min(c,
// variance*q) - a over that of the plan. It overwrites c.
func (b *block) retarget(c [][]float64, energies []float64) float64 {
	off := make([]float64, b.cols)
	for t := len(c) - 1; t >= 0; t-- {
		b.later(c, t)
		for j := range b.n {
			b.retargetNode(c[t], off, t, j)
		}
	}
	worst := 0.0
	for k, o := range off {
		if e := energies[k]; e > 0 && !math.IsInf(e, 1) {
			worst = max(worst, math.Sqrt(o/e))
		}
	}
	return worst
}

// patience is the number of guesses that correct all roles at once. Such guesses can
// cycle, so later ones correct a random half of the roles, another half each time.
const patience = 15

// stays reports whether a role is not corrected in this guess.
func (b *block) stays(t, at int) bool {
	if b.guess < patience {
		return false
	}
	mixed := (uint64(b.guess)<<48 ^ uint64(t)<<32 ^ uint64(at)) * 0x9e3779b97f4a7c15
	mixed = (mixed ^ mixed>>29) * 0xbf58476d1ce4e5b9
	return mixed>>63 == 1
}

func (b *block) retargetNode(c, off []float64, t, j int) {
	variance, precision := b.variance(t, j), b.precision(t, j)
	lo := j * b.cols
	plan, roles, later := b.plan[t][lo:lo+b.cols], b.roles[t][lo:lo+b.cols], b.scratch[lo:lo+b.cols]
	for k, x := range c[lo : lo+b.cols] {
		q := later[k]
		before := roles[k]
		price, want := x*precision, x
		switch {
		case b.stops[t][j]:
			roles[k] = whole
		case precision == 0:
			roles[k], price, want = none, q, 0
		case variance*q >= x:
			roles[k] = whole
		default:
			roles[k], price, want = free, q, variance*q
		}
		if b.stays(t, lo+k) {
			roles[k] = before
		}
		off[k] += float64((want - plan[k]) * (want - plan[k]) * precision)
		c[lo+k] = price
	}
}
