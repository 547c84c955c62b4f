package gossipview

import (
	"math"
	"testing"
)

// What floating point finds of these views is clear at every step, and for the most part made of roundings: of the first
// it finds rank 162 and leakages off by 0.61, of the second everything. Arithmetic of 3000 bits finds rank 141 of the first.
func TestViewsMadeOfRoundings(t *testing.T) {
	for _, c := range []struct{ steps, rank int }{{40, 141}, {80, 221}} {
		g := gossipNamed(t, "geometric:n=300,r=0.09,seed=2,connected", c.steps)
		k := g.krylov([]int{171})
		k.grow()
		if found := k.span.Rank(); !isClear(k.span) || found == c.rank {
			t.Errorf("%d steps: floating point finds rank %d, and says so: no example any more", c.steps, found)
		}
		v := g.view([]int{171}, allPairs)
		if v.Certainty() != Confirmed && v.Certainty() != Open || !v.Exact() || v.Rank() != c.rank {
			t.Errorf("%d steps: %v, want rank %d", c.steps, v, c.rank)
		}
		rounds, err := NewRounds(g.matrices[0], c.steps, 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		if space, clear := rounds.space([]int{171}); clear && !space.Full() {
			t.Errorf("%d steps: one round with fresh inputs is clear with rank %d", c.steps, space.Rank())
		}
		changing, err := NewChanging(repeat(g.matrices[0], c.steps))
		if err != nil {
			t.Fatal(err)
		}
		if v := changing.view([]int{171}, effort{}); v.Certainty() == Clear {
			t.Errorf("%d steps: as changing graphs %v", c.steps, v)
		}
		sum := 0.0
		for u := range g.n {
			sum += v.Leakage(u)
		}
		if v.Certainty() == Confirmed && math.Abs(sum-float64(c.rank)) > 1e-6 {
			t.Errorf("%d steps: leakages sum to %g, the rank is %d", c.steps, sum, c.rank)
		}
	}
}

// Ordinary views are steady, of any rank.
func TestViewsAreSteady(t *testing.T) {
	for _, expr := range []string{"geometric:n=200,r=0.15,seed=1", "regular:n=100,d=4,seed=1", "ba:n=100,m=2,seed=2", "grid:7x9"} {
		g := gossipNamed(t, expr, 6)
		for v := 0; v < g.n; v += 7 {
			k := g.krylov([]int{v})
			if k.saturated() {
				continue
			}
			k.grow()
			if !k.steady(measure(k.span)) {
				t.Errorf("%s: the view of %d depends on roundings", expr, v)
			}
		}
	}
}
