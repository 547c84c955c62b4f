package admmview

import (
	"math"
	"math/cmplx"
	"testing"

	"pgregory.net/rapid"
)

// whole rounds to a grid.
func whole(x complex128, step float64) complex128 {
	return complex(math.Round(real(x)/step)*step, math.Round(imag(x)/step)*step)
}

// onGrid runs one turn of both worlds on a grid: releases are rounded, and so are shifts. It returns the shift that was needed
// and the one that was planned.
func (c *couple) onGrid(t Turn, step float64) (needed, planned float64) {
	p, s, n := c.plan, c.plan.step, float64(len(c.losses))
	f1 := c.losses[t.Holder]
	f2 := f1
	if t.Holder == p.u {
		f2 = c.other
	}
	n1, n2 := c.one.next(s, t.Holder, c.regularise(c.one.mean), f1), c.two.next(s, t.Holder, c.regularise(c.two.mean), f2)
	apart := c.two.variables[t.Holder] - c.one.variables[t.Holder]
	before := (c.two.mean - c.one.mean) * complex(n, 0)
	if p.contributes(t) {
		c.moves = append(c.moves, n2-n1-complex(p.own.keep, 0)*apart-complex(p.own.drift/n, 0)*before)
	}
	cost := p.energy
	p.turn(t, 1/n)
	if k := len(p.units); p.contributes(t) {
		c.moves[k-1] = ball(c.moves[k-1], p.units[k-1])
	}
	after := whole(c.vector(p.sum), step)
	target := apart + after - whole(before, step)
	r1, r2 := whole(n1, step), whole(n2, step)
	noise := whole(complex(c.r.NormFloat64(), c.r.NormFloat64()), step)
	c.one.set(t.Holder, r1+noise)
	c.two.set(t.Holder, r1+noise+target)
	return cmplx.Abs(target - (r2 - r1)), math.Sqrt(p.energy - cost)
}

// On a grid the worlds are kept alike to the bit, and no turn needs a shift longer than OnGrid counts with.
func TestThePlanHidesRealLossesOnAGrid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newCouple(t)
		step := 0.002 + 0.1*c.r.Float64()
		rho, visits, total, turns := step/math.Sqrt2, make([]int, len(c.losses)), 0.0, 0
		start := whole(c.one.mean, step)
		for j := range c.losses {
			c.one.variables[j], c.two.variables[j] = start, start
		}
		c.one.mean, c.two.mean = start, start
		for range 4 {
			var seen []Turn
			for range c.r.IntN(9) {
				seen = append(seen, Turn{Holder: c.r.IntN(len(c.losses))})
			}
			c.plan.foresee(seen)
			for _, turn := range seen {
				visits[turn.Holder]++
				needed, planned := c.onGrid(turn, step)
				if most := planned + float64(4*visits[turn.Holder]+6)*rho; needed > most+1e-9 {
					t.Fatalf("%+v: a shift of %g, planned %g, on the grid %g", c.plan.step, needed, planned, most)
				}
				total += needed * needed
				turns++
			}
			clear(c.plan.sum)
			if d := cmplx.Abs(c.two.mean - c.one.mean); d > 1e-9 {
				t.Fatalf("%+v: the observer sees a difference of %g", c.plan.step, d)
			}
		}
		busiest := 0
		for _, v := range visits {
			busiest = max(busiest, v)
		}
		if most := OnGrid(c.plan.energy, turns, busiest, rho); total > most*(1+1e-9)+1e-9 {
			t.Fatalf("shifts of energy %g, on the grid %g", total, most)
		}
	})
	if OnGrid(2, 10, 3, 0) < 2 || OnGrid(2, 10, 3, 0.01) <= 2 || OnGrid(0, 10, 3, 1) != 0 {
		t.Error("the price of a grid")
	}
}
