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

// A group whose values all change moves the view by no more than is said, whichever signs the changes have, and one of a single node
// by its leakage. The sum of 002, equation C.9, is no bound of it: it is the sum of what messages say one by one.
func TestTheoremC17GroupsMoveViewsByNoMoreThanTheirLeakage(t *testing.T) {
	below := 0
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, 7)
		n := g.Len()
		if n < 3 {
			t.Skip("no group")
		}
		w, steps := weightsOf(t, g), rapid.IntRange(1, 6).Draw(t, "T")
		accountant, err := New(w, steps)
		if err != nil {
			t.Fatal(err)
		}
		v := rapid.IntRange(0, n-1).Draw(t, "v")
		view, err := accountant.View([]int{v})
		if err != nil {
			t.Fatal(err)
		}
		simple, sums := simply(repeat(w, steps), []int{v}), accountant.PublishedSum(1)
		for mask := 1; mask < 1<<n; mask++ {
			var group []int
			published := 0.0
			for u := range n {
				if mask>>u&1 == 1 && u != v {
					group = append(group, u)
					published += sums.At(u, v)
				}
			}
			moved := 0.0
			for signs := range 1 << len(group) {
				sum := 0.0
				for i, a := range group {
					for j, b := range group {
						sum += float64(1-2*(signs>>i&1)) * float64(1-2*(signs>>j&1)) * simple.product(a, b)
					}
				}
				moved = math.Max(moved, sum)
			}
			said := view.GroupLeakage(group)
			if said < moved-1e-9 || said > float64(len(group)) || len(group) == 1 && said != view.Leakage(group[0]) {
				t.Fatalf("node %d about %v together: %g is said, %g moved", v, group, said, moved)
			}
			if published < moved-1e-9 {
				below++
			}
		}
	})
	if below == 0 && !testing.Short() { // which draws few cases
		t.Error("the published sum was never too small")
	}
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
