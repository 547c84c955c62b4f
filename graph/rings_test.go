package graph_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/graph"
)

// Rings hold every ordered pair once, at its distance along the arrows, and tally
// every value that is a number.
func TestRingsHoldEveryPairOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 9).Draw(t, "n")
		var edges [][2]int
		for u := range n {
			for v := range u {
				if rapid.IntRange(0, 3).Draw(t, "edge") == 0 {
					edges = append(edges, [2]int{v, u})
				}
			}
		}
		g, err := graph.FromEdges("drawn", n, edges)
		if err != nil {
			t.Fatal(err)
		}
		value := func(u, v int) float64 {
			if (u+v)%4 == 3 {
				return math.NaN()
			}
			return float64(u*n + v)
		}
		want, search := map[int]graph.Ring{}, graph.NewSearch(g)
		for u := range n {
			for v, hops := range search.From(u) {
				if u == v {
					continue
				}
				r := want[int(hops)]
				if r.Of == nil {
					r = graph.Ring{Hops: int(hops), Of: make([]graph.Tally, 1)}
				}
				r.Pairs++
				if x := value(u, v); !math.IsNaN(x) {
					r.Of[0] = graph.Tally{Count: r.Of[0].Count + 1, Sum: r.Of[0].Sum + x, Max: math.Max(r.Of[0].Max, x)}
				}
				want[int(hops)] = r
			}
		}
		got, last := g.Rings(value), -2
		for _, r := range got {
			w := want[r.Hops]
			if r.Hops <= last || r.Pairs != w.Pairs || r.Of[0] != w.Of[0] {
				t.Fatalf("%+v, want %+v", r, w)
			}
			last = r.Hops
		}
		if len(got) != len(want) {
			t.Fatalf("%d rings, want %d", len(got), len(want))
		}
	})
}

// The nearest of several sources is the least of their distances.
func TestNearestOfSources(t *testing.T) {
	g, err := graph.FromEdges("a way and a lone node", 5, [][2]int{{0, 1}, {1, 2}, {2, 3}})
	if err != nil {
		t.Fatal(err)
	}
	for u, want := range []int{0, 1, 1, 0, -1} {
		if got := graph.NewSearch(g).Nearest([]int{0, 3})[u]; got != want {
			t.Errorf("node %d is %d away, want %d", u, got, want)
		}
	}
}
