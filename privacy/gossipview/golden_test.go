package gossipview

import (
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/internal/testdata"
)

// gossipOn is gossip with hamilton weights on a graph.
func gossipOn(t testing.TB, g *graph.Graph, steps int) *Accountant {
	t.Helper()
	transition, err := graph.NewTransition(g, "hamilton")
	if err != nil {
		t.Fatal(err)
	}
	gossip, err := New(transition.Sparse(), steps)
	if err != nil {
		t.Fatal(err)
	}
	return gossip
}

// gossipNamed is gossipOn for an expression.
func gossipNamed(t testing.TB, expr string, steps int) *Accountant {
	t.Helper()
	g, err := gen.Parse(expr, 1)
	if err != nil {
		t.Fatal(err)
	}
	return gossipOn(t, g, steps)
}

// view is View without an error.
func view(t testing.TB, g *Accountant, observers ...int) *View {
	t.Helper()
	v, err := g.View(observers)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

type goldenGossip struct {
	N     int
	Edges [][2]int
	Runs  []struct {
		T             int
		Leakage       [][]float64
		PublishedSum  [][]float64 `json:"published_sum"`
		Rank          []int
		Reconstructed [][]int
	}
}

func TestGossipGolden(t *testing.T) {
	all := map[string]goldenGossip{}
	for _, file := range testdata.Goldens[map[string]goldenGossip](t, "gossip") {
		maps.Copy(all, file)
	}
	for name, c := range all {
		g, err := graph.FromEdges(name, c.N, c.Edges)
		if err != nil {
			t.Fatal(err)
		}
		for _, run := range c.Runs {
			gossip := gossipOn(t, g, run.T)
			leakage, published := gossip.Leakage(1), gossip.PublishedSum(1)
			for v := range c.N {
				if leakage.Ranks[v] != run.Rank[v] {
					t.Errorf("%s T=%d: rank of %d is %d, want %d", name, run.T, v, leakage.Ranks[v], run.Rank[v])
				}
				checkReconstructed(t, view(t, gossip, v), v, run.Reconstructed[v])
			}
			compareRows(t, name, leakage, run.Leakage)
			compareRows(t, name, published, run.PublishedSum)
		}
	}
}

// checkReconstructed allows the file, which calls a leakage of 1 - 3e-11
// reconstructed, what exact elimination denies.
func checkReconstructed(t *testing.T, view *View, v int, want []int) {
	t.Helper()
	found := view.Reconstructed()
	for u := range view.n {
		exact, listed := slices.Contains(found, u), slices.Contains(want, u) || u == v
		if exact != listed && (exact || view.Leakage(u) == 1 || view.Leakage(u) < 1-1e-9) {
			t.Errorf("observer %d, node %d: reconstructed %v, want %v; leakage %v", v, u, exact, listed, view.Leakage(u))
		}
	}
}

// compareRows allows a relative 1e-8, and the 5e-13 to which the file rounds.
func compareRows(t *testing.T, name string, got *Pairs, want [][]float64) {
	t.Helper()
	for u, row := range want {
		for v, w := range row {
			if d := math.Abs(got.At(u, v) - w); d > 1e-8*w+6e-13 {
				t.Errorf("%s, %s: (%d, %d) is %v, want %v", name, got.Accountant, u, v, got.At(u, v), w)
			}
		}
	}
}

func TestReconstructionGolden(t *testing.T) {
	for name, list := range testdata.Attacks(t) {
		for k, c := range list {
			g, err := graph.FromEdges(name, c.N, c.Edges)
			if err != nil {
				t.Fatal(err)
			}
			v := view(t, gossipOn(t, g, c.T), c.Attackers...)
			if v.Rank() != c.Rank || !slices.Equal(v.Reconstructed(), c.Reconstructed) {
				t.Errorf("%s %d: rank %d, reconstructed %v; want %d, %v (%s)",
					name, k, v.Rank(), v.Reconstructed(), c.Rank, c.Reconstructed, v.Certainty())
			}
			for u := range c.N {
				if one := v.Leakage(u) == 1; one != slices.Contains(c.Reconstructed, u) {
					t.Errorf("%s %d: node %d has leakage %v", name, k, u, v.Leakage(u))
				}
			}
		}
	}
}
