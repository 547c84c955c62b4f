package graph_test

import (
	"testing"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/graphtest"
	"pgregory.net/rapid"
)

func TestFromEdgesAgreesWithAMatrix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 9).Draw(t, "n")
		node := rapid.IntRange(0, n-1)
		var matrix [9][9]bool
		var edges [][2]int
		loops, distinct := 0, 0
		for range rapid.IntRange(0, 40).Draw(t, "m") {
			u, v := node.Draw(t, "u"), node.Draw(t, "v")
			edges = append(edges, [2]int{u, v})
			switch {
			case u == v:
				loops++
			case !matrix[u][v]:
				matrix[u][v], matrix[v][u] = true, true
				distinct++
			}
		}
		g, err := graph.FromEdges("drawn", n, edges)
		if err != nil {
			t.Fatal(err)
		}
		graphtest.Contract(t, g)
		for u := range n {
			for v := range n {
				if g.HasEdge(u, v) != matrix[u][v] {
					t.Fatalf("edge %d-%d is %v", u, v, g.HasEdge(u, v))
				}
			}
		}
		want := graph.Dropped{Loops: loops, Repeats: len(edges) - loops - distinct}
		if g.Dropped() != want || g.Edges() != distinct {
			t.Fatalf("dropped %+v of %d edges, want %+v of %d", g.Dropped(), g.Edges(), want, distinct)
		}
	})
}

func TestFromEdgesRefusesStrangers(t *testing.T) {
	for _, edges := range [][][2]int{{{0, 3}}, {{-1, 0}}} {
		if _, err := graph.FromEdges("x", 3, edges); err == nil {
			t.Errorf("edges %v of a graph of 3 nodes were taken", edges)
		}
	}
	if _, err := graph.FromEdges("x", 0, nil); err == nil {
		t.Error("a graph without nodes was made")
	}
}
