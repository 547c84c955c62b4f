package gossipview

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/sparse"
)

// drawAccountant is gossip on a random graph, which may change.
func drawAccountant(t *rapid.T) (g *Accountant, observers []int) {
	n, steps := rapid.IntRange(1, 12).Draw(t, "n"), rapid.IntRange(0, 10).Draw(t, "T")
	var err error
	if steps > 0 && rapid.Bool().Draw(t, "changing") {
		var ws []*sparse.Matrix
		for range steps {
			ws = append(ws, drawRound(t, n))
		}
		g, err = NewChanging(ws)
	} else {
		g, err = New(weightsOf(t, drawGraph(t, n)), steps)
	}
	if err != nil {
		t.Fatal(err)
	}
	return g, drawObservers(t, g.n)
}

// A basis is orthonormal, spans the view, and keeps what is known of single
// nodes apart from everything else, exactly.
func TestBasisIsThatOfTheView(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, observers := drawAccountant(t)
		v := g.view(observers, oneView)
		basis, err := v.Basis()
		if err != nil || len(basis) != v.Rank() {
			t.Fatalf("%d vectors of %v: %v", len(basis), v, err)
		}
		for a, x := range basis {
			for b, y := range basis {
				if want := map[bool]float64{true: 1}[a == b]; math.Abs(sparse.Dot(x, y)-want) > 1e-10 {
					t.Fatalf("vectors %d and %d have the product %v", a, b, sparse.Dot(x, y))
				}
			}
		}
		for u := range g.n {
			for w := range g.n {
				sum := 0.0
				for _, q := range basis {
					sum += q[u] * q[w]
				}
				if math.Abs(sum-v.Product(u, w)) > 1e-10 {
					t.Fatalf("(%d, %d) of the projector is %v, want %v", u, w, sum, v.Product(u, w))
				}
			}
		}
		for _, u := range v.Reconstructed() {
			nonzero := 0
			for _, q := range basis {
				if q[u] != 0 {
					nonzero++
				}
			}
			if nonzero != 1 {
				t.Fatalf("node %d, reconstructed, is in %d vectors", u, nonzero)
			}
		}
	})
}

// The ways to a view decide the same, each with its own patience.
func TestViewsAgreeWhateverTheirPatience(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, observers := drawAccountant(t)
		v := g.view(observers, oneView)
		for name, look := range map[string]func([]int) (*View, error){"thorough": g.Thorough, "reconstruction": g.Reconstruction} {
			other, err := look(observers)
			if err != nil || !other.Exact() && v.Exact() || name == "thorough" && !other.Exact() || other.Rank() != v.Rank() ||
				!slices.Equal(other.Reconstructed(), v.Reconstructed()) {
				t.Fatalf("%s: %v, %v; want %v", name, other, err, v)
			}
		}
	})
}

// What is left out of a run is as if it had never been planned.
func TestAfterIsAShorterRun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, observers := drawAccountant(t)
		rounds := rapid.IntRange(0, g.steps).Draw(t, "rounds")
		shorter, err := New(g.matrices[0], rounds)
		if !g.fixed && rounds > 0 {
			shorter, err = NewChanging(g.matrices[:rounds])
		}
		if err != nil {
			t.Fatal(err)
		}
		got, want := g.After(rounds).view(observers, oneView), shorter.view(observers, oneView)
		if got.Rank() != want.Rank() || !slices.Equal(got.Reconstructed(), want.Reconstructed()) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

func TestUndecidedViewsHaveNoBasis(t *testing.T) {
	g := gossipNamed(t, "geometric:n=40,r=0.25,seed=2", 25)
	for v := range g.n {
		view := g.view([]int{v}, effort{})
		if _, err := view.Basis(); (err == nil) != (view.Certainty() == Clear || view.Certainty() == Confirmed) {
			t.Errorf("%v: %v", view, err)
		}
	}
}

// What floating point got wrong or left open, the exact recurrence puts right:
// rank and units are those of elimination.
func TestSettledViewsAreThoseOfElimination(t *testing.T) {
	certainties := map[Certainty]int{}
	for _, expr := range []string{"geometric:n=40,r=0.25,seed=2", "geometric:n=40,r=0.25,seed=4", "cliques:count=4,size=6", "florentine"} {
		g := gossipNamed(t, expr, 25)
		for v := range g.n {
			hasty, exact := g.view([]int{v}, effort{}), g.view([]int{v}, oneView)
			if hasty.exact || !exact.exact {
				continue
			}
			certainties[hasty.Certainty()]++
			g.settle(hasty, []int{v})
			if !hasty.Exact() || hasty.Rank() != exact.Rank() || !slices.Equal(hasty.Reconstructed(), exact.Reconstructed()) {
				t.Errorf("%s, observer %d: %v reconstructs %v; want %v, %v", expr, v, hasty, hasty.Reconstructed(), exact, exact.Reconstructed())
			}
			for u := range g.n {
				if hasty.Leakage(u) < exact.Leakage(u)-1e-9 {
					t.Errorf("%s: (%d, %d) is charged %v instead of %v", expr, u, v, hasty.Leakage(u), exact.Leakage(u))
				}
			}
		}
	}
	if certainties[Open] == 0 || certainties[Clear] == 0 {
		t.Errorf("certainties %v: choose other graphs", certainties)
	}
	t.Log(certainties)
}
