package graph_test

import (
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/math"
)

var none = math.NaN()

// weighted is a triangle with a tail: weights 1, 2, 3 around nodes 0, 1, 2, and 4 from 2 to 3.
func weighted(directed bool, weights ...float64) *graph.Graph {
	edges := [][2]int32{{0, 1}, {1, 2}, {2, 0}, {2, 3}, {3, 2}}
	g, err := graph.Listed{Name: "w.edges", Nodes: []string{"0", "1", "2", "3"}, Edges: edges[:len(weights)], Weights: weights, Directed: directed}.Graph()
	if err != nil {
		panic(err)
	}
	return g
}

// The rules of edges are what docs/SPEC.md says: each row by hand.
func TestWeightsOfEdges(t *testing.T) {
	g := weighted(false, 1, 2, 3, 4) // s = 4, 3, 9, 4
	for rule, want := range map[string][4][4]float64{
		"edges":                       {{5. / 12, 0.25, 1. / 3, 0}, {0.25, 1 - 0.25 - 2./9, 2. / 9, 0}, {1. / 3, 2. / 9, 0, 4. / 9}, {0, 0, 4. / 9, 5. / 9}},
		"edges:laplacian":             {{5. / 9, 1. / 9, 1. / 3, 0}, {1. / 9, 2. / 3, 2. / 9, 0}, {1. / 3, 2. / 9, 0, 4. / 9}, {0, 0, 4. / 9, 5. / 9}},
		"edges:proportional":          {{0, 0.25, 0.75, 0}, {1. / 3, 0, 2. / 3, 0}, {1. / 3, 2. / 9, 0, 4. / 9}, {0, 0, 1, 0}},
		"lazy:0.5,edges:proportional": {{0.5, 0.125, 0.375, 0}, {1. / 6, 0.5, 1. / 3, 0}, {1. / 6, 1. / 9, 0.5, 2. / 9}, {0, 0, 0.5, 0.5}},
	} {
		w, err := graph.NewTransition(g, rule)
		if err != nil {
			t.Fatal(err)
		}
		for u := range 4 {
			for v := range 4 {
				if x := w.At(u, v); math.Abs(x-want[u][v]) > 1e-15 {
					t.Errorf("%s: W(%d, %d) = %v, want %v", rule, u, v, x, want[u][v])
				}
			}
		}
		proportional := !w.Symmetric()
		if w.Sparse().Symmetric(0) == proportional || !w.Own() || !w.Reversible() || w.Graph().Dropped().Weights != 0 {
			t.Errorf("%s: symmetric to the digit %v, given %v, reversible %v", rule, w.Sparse().Symmetric(0), w.Own(), w.Reversible())
		}
		pi, err := w.Stationary()
		if err != nil {
			t.Fatal(err)
		}
		for v, s := range []float64{4, 3, 9, 4} {
			if want := map[bool]float64{true: s / 20, false: 0.25}[proportional]; math.Abs(pi[v]-want) > 1e-15 {
				t.Errorf("%s: node %d is visited in %v of the turns, want %v", rule, v, pi[v], want)
			}
		}
	}
}

// A walk on a directed graph takes arrows by their weights.
func TestWeightsOfArrows(t *testing.T) {
	w, err := graph.NewTransition(weighted(true, 1, 2, 3, 4, 5), "edges:proportional")
	if err != nil {
		t.Fatal(err)
	}
	if w.At(0, 1) != 1 || w.At(1, 0) != 0 || w.At(2, 0) != 3./7 || w.At(2, 3) != 4./7 || w.Reversible() {
		t.Errorf("%v %v", w.At(2, 0), w.At(2, 3))
	}
}

// What is no weight of every edge is refused by the edge.
func TestWeightsOfEdgesThatAreNone(t *testing.T) {
	for name, c := range map[string]struct {
		g           *graph.Graph
		rule, words string
	}{
		"generator": {mustParse(t, "ring:6"), "edges", "weights: edges of ring:6 have none"},
		"missing":   {weighted(false, 1, none, 3, 4), "edges", "the edge from node 1 to node 2 no weight"},
		"negative":  {weighted(false, 1, -2, 3, 4), "edges", "from node 1 to node 2 the weight -2"},
		"zero":      {weighted(false, 1, 2, 0, 4), "edges", "the weight 0"},
		"endless":   {weighted(false, 1, 2, math.Inf(1), 4), "edges", "the weight +Inf"},
		"two":       {weighted(false, 1, 2, 3, 4, 5), "edges", "the edge between nodes 3 and 2 two weights"},
		"too large": {weighted(false, 1e308, 2, 1e308, 4), "edges", "node 0"},
		"too small": {weighted(false, 1, 1e-320, 1e300, 4), "edges:laplacian", "nothing beside"},
		"law":       {weighted(false, 1, 2, 3, 4), "edges:uniform", "edges:metropolis"},
		"directed":  {weighted(true, 1, 2, 3, 4, 5), "edges", "need an undirected graph, but w.edges is directed"},
	} {
		_, err := graph.NewTransition(c.g, c.rule)
		if err == nil || fault.Hint(err) == "" || !strings.Contains(err.Error()+fault.Hint(err), c.words) {
			t.Errorf("%s: %v, not %q", name, err, c.words)
		}
	}
	if w, err := graph.NewTransition(weighted(false, 1, 2, 3, 4, 4), "edges"); err != nil || w.At(3, 2) != 4./9 {
		t.Errorf("the same weight at both ends: %v", err)
	}
}
