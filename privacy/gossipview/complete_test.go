package gossipview

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/internal/drawntest"
)

// What floating point finds of these views is clear and steady, and one dimension short: what was dropped was fainter than
// rounding, and real.
func TestViewsThatMissDirections(t *testing.T) {
	for _, c := range []struct {
		graph             string
		steps, v, missing int
	}{{"geometric:n=300,r=0.09,seed=2,connected", 120, 82, 1}, {"ba:n=400,m=2,seed=1", 30, 23, 1}} {
		g := gossipNamed(t, c.graph, c.steps)
		k := g.krylov([]int{c.v})
		k.grow()
		profile, _ := k.modular()
		found := measure(k.span)
		if !isClear(k.span) || !k.steady(found) || found.Rank() != profile.Rank()-c.missing {
			t.Errorf("%s: floating point finds rank %d, exactly %d: no example any more", c.graph, found.Rank(), profile.Rank())
		}
		v := g.view([]int{c.v}, allPairs)
		if v.Certainty() == Clear || v.Certainty() == Confirmed && v.Rank() != profile.Rank() {
			t.Errorf("%s: %v, the rank is %d", c.graph, v, profile.Rank())
		}
		rounds, err := NewRounds(g.matrices[0], c.steps, 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		if _, clear := rounds.space([]int{c.v}); clear {
			t.Errorf("%s: one round with fresh inputs is clear", c.graph)
		}
		changing, err := NewChanging(repeat(g.matrices[0], c.steps))
		if err != nil {
			t.Fatal(err)
		}
		if v := changing.view([]int{c.v}, effort{}); v.Certainty() == Clear {
			t.Errorf("%s: as changing graphs %v", c.graph, v)
		}
	}
}

// No view has more dimensions than may be heard, and random vectors of it have as many as it has.
func TestDimensionsOfViews(t *testing.T) {
	tight, drawn := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		g, observers := drawAccountant(t)
		if g.steps == 0 {
			return
		}
		v := g.view(observers, oneView)
		if !v.Exact() && v.Certainty() != Clear {
			return
		}
		drawn++
		folded := v.Rank()
		if most := g.mostReached(observers); folded > most {
			t.Fatalf("rank %d of %d nodes that are reached", folded, most)
		}
		if g.fixed {
			most := g.mostHeard(observers) + len(observers)
			if folded > most {
				t.Fatalf("rank %d, at most %d are heard", folded, most)
			}
			if folded == most {
				tight++
			}
		}
		if got, ok := g.dimension(observers, observers, g.n+1); ok && got != folded {
			t.Fatalf("dimension %d, want %d", got, folded)
		}
		slower := *g
		slower.parts = append([]parts(nil), g.parts...)
		for i := range slower.parts {
			slower.parts[i].small = nil
		}
		if got, ok := slower.dimension(observers, observers, g.n+1); !ok || got != folded {
			t.Fatalf("dimension by a recurrence of 61 bits, or of random vectors, %d (%v), want %d", got, ok, folded)
		}
		for i := range slower.parts {
			slower.parts[i].symmetric = false
		}
		if got, ok := slower.dimension(observers, observers, g.n+1); !ok || got != folded {
			t.Fatalf("dimension of random vectors %d (%v), want %d", got, ok, folded)
		}
	})
	drawntest.Often(t, "views are as large as they may be", tight, drawn, 0.3)
}
