package flow

import (
	"math"
	"math/rand/v2"
	"testing"
)

// lift is the plan of Lifted's proof, on the problem's grid.
func lift(p Problem, plan Plan) Plan {
	n := p.n()
	c, rest := make([]float64, n), make([]float64, n)
	lifted := Plan{U: plan.U, Observers: plan.Observers}
	for t, absorbed := range plan.Rounds {
		p.advance(c, rest, t, p.longest())
		c[plan.U] = raised(c[plan.U]+p.contribution(t, plan.U), 1)
		p.round(c, t)
		a, _ := absorbed.dense(n, t)
		seen, round := p.seen(t, plan.Observers), Absorption{}
		for j, x := range c {
			take := min(x, a[j]+2*p.rounding(t))
			if seen[j] {
				take = x
			}
			take = p.settle(take, x, 1)
			if take > 0 {
				round.Nodes, round.Amounts = append(round.Nodes, int32(j)), append(round.Amounts, take)
			}
			rest[j] = p.kept(x, take, t)
		}
		lifted.Rounds = append(lifted.Rounds, round)
	}
	return lifted
}

// The plan of the proof is one on the grid, and has no more energy than is said;
// without the extra 2 r nodes would be left with more than planned.
func TestLiftedPlansAreWithinTheirBound(t *testing.T) {
	nearest := 0.0
	for i := range 200 {
		r := rand.New(rand.NewPCG(41, uint64(i)))
		d := draw(r)
		d.Noise, d.Rounding = nil, nil
		best, err := accountant(t, d.Problem).Optimal(d.u, d.coalition...)
		if err != nil {
			t.Fatal(err)
		}
		if best.Energy == 0 { // nothing arrives, and no grid makes anything arrive
			continue
		}
		for _, size := range []float64{1e-9, 1e-3, 0.3} {
			d.Rounding = nil
			for range d.Rounds {
				d.Rounding = append(d.Rounding, size)
			}
			on := accountant(t, d.Problem)
			energy, err := on.Check(lift(d.Problem, best.Plan))
			bound := Lifted(best.Energy, size, float64(d.Rounds*d.n()))
			if err != nil || energy > bound*(1+1e-9) {
				t.Fatalf("run %d, rounding %g: the lifted plan has energy %g, the bound is %g, %v", i, size, energy, bound, err)
			}
			if bound > best.Energy {
				nearest = max(nearest, (math.Sqrt(energy)-math.Sqrt(best.Energy))/(math.Sqrt(bound)-math.Sqrt(best.Energy)))
			}
		}
	}
	if nearest < 0.2 {
		t.Errorf("the nearest plan uses %g of what it may", nearest)
	}
}
