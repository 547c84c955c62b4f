package graph_test

import (
	"math"
	"slices"
	"testing"

	"github.com/hearsay-dp/hearsay/graph"
)

// A drawing lies in the unit square, is the same every time, puts no two
// nodes on each other and neighbours nearer than strangers.
func TestLayout(t *testing.T) {
	for _, expr := range []string{"florentine", "davis", "er:n=200,p=0.03", "er:n=40,p=0", "ba:n=300,m=2", "regular:n=60,d=3",
		"sbm:sizes=30+30,inside=0.4,outside=0.01"} {
		g := mustParse(t, expr)
		points := graph.Layout(g)
		if !slices.Equal(points, graph.Layout(g)) {
			t.Errorf("%s: two drawings differ", expr)
		}
		near, far, edges, pairs := 0.0, 0.0, 0.0, 0.0
		for u, p := range points {
			if !(p.X >= 0 && p.X <= 1 && p.Y >= 0 && p.Y <= 1) {
				t.Errorf("%s: node %d lies at %v", expr, u, p)
			}
			for v, q := range points[:u] {
				d := math.Hypot(p.X-q.X, p.Y-q.Y)
				if d == 0 {
					t.Errorf("%s: nodes %d and %d lie on each other", expr, u, v)
				}
				far, pairs = far+d, pairs+1
				if g.HasEdge(u, v) {
					near, edges = near+d, edges+1
				}
			}
		}
		if edges > 0 && near/edges > 0.7*far/pairs {
			t.Errorf("%s: neighbours are %.2f apart, any two nodes %.2f", expr, near/edges, far/pairs)
		}
	}
}

func TestLayoutKeepsGivenPositions(t *testing.T) {
	g := mustParse(t, "geometric:n=20,r=0.3")
	for u, p := range graph.Layout(g) {
		if want, ok := g.Position(u); !ok || p != want {
			t.Errorf("node %d is drawn at %v, not at %v", u, p, want)
		}
	}
}

func TestLayoutOfTheSmallest(t *testing.T) {
	for n := 1; n <= 3; n++ {
		g, err := graph.FromEdges("small", n, nil)
		if err != nil {
			t.Fatal(err)
		}
		if points := graph.Layout(g); len(points) != n {
			t.Errorf("%d points for %d nodes", len(points), n)
		}
	}
}

func BenchmarkLayout(b *testing.B) {
	g := mustParse(b, "er:n=2048,p=0.0045,seed=1")
	for b.Loop() {
		graph.Layout(g)
	}
}
