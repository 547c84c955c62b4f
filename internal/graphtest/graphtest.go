// Package graphtest checks the contract of every Graph, for the tests of rooms that make graphs.
package graphtest

import (
	"slices"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/math"
	"pgregory.net/rapid"
)

// Contract fails t if g breaks the contract of a Graph.
func Contract(t interface{ Errorf(string, ...any) }, g *graph.Graph) {
	entries := 0
	for u := range g.Len() {
		row := g.Neighbours(u)
		entries += len(row)
		if len(row) != g.Degree(u) {
			t.Errorf("node %d has degree %d and %d neighbours", u, g.Degree(u), len(row))
		}
		for k, v := range row {
			if int(v) == u || v < 0 || int(v) >= g.Len() || k > 0 && row[k-1] >= v {
				t.Errorf("the neighbours of %d are not sorted, distinct, in range and loopless: %v", u, row)
			}
			if !g.HasEdge(u, int(v)) || !g.Directed() && !g.HasEdge(int(v), u) {
				t.Errorf("edge %d-%d is not seen from both ends", u, v)
			}
		}
	}
	if !g.Directed() {
		entries /= 2
	}
	if entries != g.Edges() {
		t.Errorf("%d edges counted, Edges says %d", entries, g.Edges())
	}
}

// Positions asserts that nodes lie in the unit square, no two on each other.
func Positions(t interface{ Errorf(string, ...any) }, g *graph.Graph) {
	seen := map[graph.Point]int{}
	for u := range g.Len() {
		p, ok := g.Position(u)
		if !ok {
			return
		}
		if !(p.X >= -1e-12 && p.X <= 1+1e-12 && p.Y >= -1e-12 && p.Y <= 1+1e-12) {
			t.Errorf("node %d lies outside the unit square: %v", u, p)
		}
		rounded := graph.Point{X: math.Round(p.X * 1e9), Y: math.Round(p.Y * 1e9)}
		if other, taken := seen[rounded]; taken {
			t.Errorf("nodes %d and %d lie on each other", other, u)
		}
		seen[rounded] = u
	}
}

// Equal reports whether two graphs have the same labels and neighbours.
func Equal(a, b *graph.Graph) bool {
	if a.Len() != b.Len() || a.Directed() != b.Directed() {
		return false
	}
	for u := range a.Len() {
		if a.Label(u) != b.Label(u) || !slices.Equal(a.Neighbours(u), b.Neighbours(u)) {
			return false
		}
	}
	return true
}

// Draw draws a small graph.
func Draw(t *rapid.T, connected bool) *graph.Graph {
	n := rapid.IntRange(1, 12).Draw(t, "n")
	node := rapid.IntRange(0, n-1)
	var edges [][2]int
	for range rapid.IntRange(0, 30).Draw(t, "m") {
		edges = append(edges, [2]int{node.Draw(t, "u"), node.Draw(t, "v")})
	}
	for u := 1; connected && u < n; u++ {
		edges = append(edges, [2]int{u, rapid.IntRange(0, u-1).Draw(t, "parent")})
	}
	g, err := graph.FromEdges("drawn", n, edges)
	if err != nil {
		t.Fatal(err)
	}
	return g
}
