package graph_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/graphfile"
	"github.com/hearsay-dp/hearsay/internal/graphtest"
)

// floyd computes all distances by relaxing over every middle node.
func floyd(g *graph.Graph) [][]int {
	n := g.Len()
	d := make([][]int, n)
	for u := range d {
		d[u] = make([]int, n)
		for v := range n {
			switch {
			case u == v:
			case g.HasEdge(u, v):
				d[u][v] = 1
			default:
				d[u][v] = graph.Unreachable
			}
		}
	}
	for w := range n {
		for u := range n {
			for v := range n {
				d[u][v] = min(d[u][v], d[u][w]+d[w][v])
			}
		}
	}
	return d
}

// drawAnyGraph draws a graph, sometimes a directed one.
func drawAnyGraph(t *rapid.T) *graph.Graph {
	g := graphtest.Draw(t, false)
	if rapid.Bool().Draw(t, "directed") {
		var pairs [][2]int32
		for u := range g.Len() {
			for _, v := range g.Neighbours(u) {
				if rapid.Bool().Draw(t, "keep") {
					pairs = append(pairs, [2]int32{int32(u), v})
				}
			}
		}
		g = graph.FromPairs(g.Len(), pairs, true)
	}
	return g
}

func TestDistancesAndComponents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawAnyGraph(t)
		want := floyd(g)
		got, err := g.AllDistances()
		if err != nil {
			t.Fatal(err)
		}
		of, sizes := g.Components()
		count := make([]int, len(sizes))
		longest := 0
		for u := range want {
			count[of[u]]++
			for v := range want {
				if int(got[u][v]) != want[u][v] {
					t.Fatalf("distance %d to %d is %d, want %d", u, v, got[u][v], want[u][v])
				}
				together := want[u][v] < graph.Unreachable && want[v][u] < graph.Unreachable
				if (of[u] == of[v]) != together {
					t.Fatalf("components of %d and %d: %d and %d, in reach of each other %v", u, v, of[u], of[v], together)
				}
				longest = max(longest, want[u][v])
			}
		}
		for id, size := range sizes {
			if count[id] != size || size == 0 {
				t.Fatalf("component %d holds %d nodes, said are %d", id, count[id], size)
			}
		}
		d, err := g.Diameter(0)
		if (err == nil) != (len(sizes) == 1) || err == nil && (!d.Exact() || d.Lower != longest) {
			t.Fatalf("diameter %+v, %v; want %d of %d components", d, err, longest, len(sizes))
		}
	})
}

// Whatever the budget, the diameter lies within the bounds.
func TestDiameterWithinABudget(t *testing.T) {
	for _, expr := range []string{"hypercube:7", "grid:13x9", "torus:8x9", "er:n=300,p=0.02,seed=4,connected", "ba:n=300,m=2", "tree:200", "ring:101",
		"cliques:6,6", "complete:40", "ring:30,directed"} {
		g := mustParse(t, expr)
		longest := 0
		rows, err := g.AllDistances()
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			for _, d := range row {
				longest = max(longest, int(d))
			}
		}
		for budget := 1; budget < 10_000_000; budget *= 4 {
			d, err := g.Diameter(budget)
			if err != nil || d.Lower > longest || d.Upper < longest {
				t.Errorf("%s with budget %d: diameter %+v, %v; it is %d", expr, budget, d, err, longest)
			}
		}
		if d, err := g.Diameter(0); err != nil || !d.Exact() {
			t.Errorf("%s: diameter %+v, %v", expr, d, err)
		}
	}
}

func TestConnectedNamesThePieces(t *testing.T) {
	g, err := graph.FromEdges("islands", 5, [][2]int{{0, 1}, {1, 2}, {3, 4}})
	if err != nil {
		t.Fatal(err)
	}
	want := "the graph islands is not connected: 2 components, the largest holds 3 of 5 nodes"
	if err := g.Connected(); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// Of a file no p can be raised: the hint names a node that is to be left out.
func TestAFileInPiecesNamesANodeOutside(t *testing.T) {
	g, err := graphfile.Read(strings.NewReader("lyon nantes\nbrest lyon\nparis vannes\n"), "pieces")
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Connected(); err == nil || !strings.Contains(fault.Hint(err), `leave out the lines of nodes outside of the largest, such as "paris"`) {
		t.Errorf("error %v", err)
	}
}
