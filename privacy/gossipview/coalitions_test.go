package gossipview

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/hearsay-dp/hearsay/internal/draws"
)

// The worst of all coalitions of a size is the worst of the second implementation's views of each of them, found by masks and not in
// order (002, C.7.1, with one view in place of a sum), and no worker changes a bit. One coalition more can only be worse.
func TestC71CoalitionsAreTheWorstOfAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, 8)
		n := g.Len()
		if n < 2 {
			t.Skip("nobody to pool with")
		}
		w, steps := weightsOf(t, g), rapid.IntRange(1, 8).Draw(t, "T")
		accountant, err := New(w, steps)
		if err != nil {
			t.Fatal(err)
		}
		size := rapid.IntRange(1, n-1).Draw(t, "size")
		pool, err := accountant.Coalitions(size, 3)
		if err != nil {
			t.Fatal(err)
		}
		want := make([]float64, n)
		for mask := range 1 << n {
			var observers []int
			for v := range n {
				if mask>>v&1 == 1 {
					observers = append(observers, v)
				}
			}
			if len(observers) != size {
				continue
			}
			simple := simply(repeat(w, steps), observers)
			for u := range n {
				if !slices.Contains(observers, u) {
					want[u] = math.Max(want[u], simple.product(u, u))
				}
			}
		}
		for u := range n {
			if !(math.Abs(pool.Worst[u]-want[u]) <= 1e-9) {
				t.Fatalf("%d together about node %d: %g, want %g", size, u, pool.Worst[u], want[u])
			}
			v, err := accountant.View(pool.To[u])
			if err != nil || v.Leakage(u) != pool.Worst[u] || slices.Contains(pool.To[u], u) {
				t.Fatalf("%v about node %d: %g, %v", pool.To[u], u, pool.Worst[u], err)
			}
		}
		alone, err := accountant.Coalitions(size, 1)
		if err != nil || !slices.Equal(alone.Worst, pool.Worst) {
			t.Fatal("one worker finds something else", err)
		}
		if size > 1 {
			fewer, err := accountant.Coalitions(size-1, 2)
			for u := range n {
				if err != nil || fewer.Worst[u] > pool.Worst[u]+1e-9 {
					t.Fatalf("%d learn more about node %d than %d: %v", size-1, u, size, err)
				}
			}
		}
	})
}

// Coalitions that are too many, or none, are refused.
func TestCoalitionsThatAreRefused(t *testing.T) {
	g := gossipNamed(t, "ring:300", 3)
	for _, size := range []int{0, 2, 300} {
		if _, err := g.Coalitions(size, 1); err == nil {
			t.Errorf("%d of 300", size)
		}
	}
}
