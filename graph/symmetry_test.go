package graph_test

import (
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/graphfile"
)

// A name vouches for nothing: only the generator that made the rows knows that
// nodes are alike.
func TestANameIsNoSymmetry(t *testing.T) {
	line := [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}}
	for _, name := range []string{"ring:5", "complete:5", "torus:1x5", "hypercube:2", "exponential:4"} {
		made, err := graph.FromEdges(name, 5, line)
		if err != nil {
			t.Fatal(err)
		}
		read, err := graphfile.Read(strings.NewReader("0 1\n1 2\n2 3\n3 4\n"), name)
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range []*graph.Graph{made, read, mustParse(t, "line:5").Named(name)} {
			if s, ok := g.Symmetry(); ok {
				t.Errorf("a line called %s is taken for %v", name, s)
			}
		}
	}
}

func TestGeneratorsKnowTheirSymmetry(t *testing.T) {
	for expr, want := range map[string]string{
		"ring:5": "ring", "ring:n=5": "ring", "complete:4": "complete", "hypercube:3": "hypercube", "exponential:8": "hypercube",
		"torus:3x4": "torus", "torus:sides=3x4": "torus", "torus:3x4x5": "", "ring:5,directed": "", "grid:3x3": "", "line:4": "", "davis": "",
	} {
		if s, _ := mustParse(t, expr).Symmetry(); s.Family != want {
			t.Errorf("%s has the symmetry of %q, want %q", expr, s.Family, want)
		}
	}
}
