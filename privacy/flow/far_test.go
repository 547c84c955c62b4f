package flow

import (
	"math"
	"testing"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/gen"
)

// Towards one observer the plan for all is that of Cheap where all return
// probabilities are worked out; it is never below the optimum.
func TestCheapTowardsIsTheCheapPlan(t *testing.T) {
	for i, expr := range []string{"er:n=30,p=0.1", "star:9", "grid:4x5", "ring:12"} {
		g, err := gen.Parse(expr, 3)
		if err != nil {
			t.Fatal(err)
		}
		for _, final := range []bool{false, true} {
			p := Problem{Rounds: 9, Weights: weightsList(t, g), Lipschitz: Table{{0.9}}, Final: final}
			if i%2 == 0 {
				p.Contributions = ByRound([]float64{1, 0, 0.5, 1, 0, 1, 1, 0, 1})
			}
			a := accountant(t, p)
			cheap := a.Cheap(1)
			for _, v := range []int{0, 3} {
				towards, err := a.CheapTowards(v, 2)
				if err != nil {
					t.Fatal(err)
				}
				for u, e := range towards {
					if want := cheap.At(u, v); u != v && math.Abs(e-want) > 1e-9*want+1e-12 {
						t.Errorf("%s, final %v, (%d, %d): %.12g, the plan for all pairs %.12g", expr, final, u, v, e, want)
					}
				}
			}
		}
	}
}

// Where few return probabilities are worked out, bounds stay above the exact plan's.
func TestCheapTowardsBoundsWhatItDoesNotFollow(t *testing.T) {
	g, err := gen.Parse("regular:n=4000,d=6", 3)
	if err != nil {
		t.Fatal(err)
	}
	a := accountant(t, Problem{Rounds: 8, Weights: weightsList(t, g)})
	towards, err := a.CheapTowards(5, 2)
	if err != nil {
		t.Fatal(err)
	}
	search := graph.NewSearch(g).From(5)
	for u := 0; u < 4000; u += 1200 {
		best, err := a.Optimal(u, 5)
		if err != nil {
			t.Fatal(err)
		}
		if towards[u] < best.Energy || search[u] > 2 && towards[u] > a.Local()/10 {
			t.Errorf("%d, %d hops away: %g, the optimum is %g", u, search[u], towards[u], best.Energy)
		}
	}
}

// Problems that the formula does not cover are refused.
func TestCheapTowardsRefusesOthers(t *testing.T) {
	p := Problem{Rounds: 3, Weights: pathWeights(t, 4)}
	for i, change := range []func(*Problem){
		func(p *Problem) { p.Noise = Table{{1, 1, 1, 2}} },
		func(p *Problem) { p.Steps = []float64{1, 0.5, 0.1} },
		func(p *Problem) { p.Rounding = []float64{1, 1, 1} },
		func(p *Problem) { p.Weights = unrolled(t, graph.NewMatchings(4, 1), 3) },
	} {
		q := p
		change(&q)
		if _, err := accountant(t, q).CheapTowards(0, 1); err == nil {
			t.Errorf("change %d is taken", i)
		}
	}
}
