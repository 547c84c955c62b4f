package gossipview

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/internal/drawntest"
)

// A view that is proved to be whole is so by definition, in long arithmetic,
// and the slower ways find the same.
func TestSaturatedViewsAreWhole(t *testing.T) {
	saturated, drawn := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		drawn++
		graph := drawGraph(t, 9)
		w := weightsOf(t, graph)
		g, err := New(w, rapid.IntRange(1, 12).Draw(t, "steps"))
		if err != nil {
			t.Fatal(err)
		}
		observers := drawObservers(t, g.n)
		k := g.krylov(observers)
		if !k.saturated() {
			return
		}
		saturated++
		whole, want := k.whole(), simply(repeat(w, g.steps), observers)
		k.grow()
		if whole.Rank() != len(want.rows) || k.span.Rank() != len(want.rows) {
			t.Fatalf("rank %d, by floats %d, want %d", whole.Rank(), k.span.Rank(), len(want.rows))
		}
		for a := range g.n {
			for b := range g.n {
				if d := math.Abs(whole.Product(a, b) - want.product(a, b)); d > 1e-12 {
					t.Fatalf("product of %d and %d is off by %g", a, b, d)
				}
			}
		}
	})
	drawntest.Often(t, "views saturate", saturated, drawn, 0.3)
}

// On a graph where T d exceeds n, most views are proved whole, and a few steps
// less leave none: a rank is at most T d + 1.
func TestSaturationStartsWhereItCan(t *testing.T) {
	g := gossipNamed(t, "geometric:n=150,r=0.25,seed=3", 40)
	whole := 0
	for v := range g.n {
		k := g.krylov([]int{v})
		if k.saturated() {
			whole++
		}
		few := *g
		few.steps = (len(k.cells.Size) - 2) / len(k.starts)
		if early := few.krylov([]int{v}); early.saturated() {
			t.Errorf("%d messages span %d dimensions", few.steps*len(k.starts), len(k.cells.Size))
		}
	}
	if whole < g.n*3/4 {
		t.Errorf("%d of %d views are proved whole", whole, g.n)
	}
}
