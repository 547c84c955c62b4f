package graph_test

import (
	"testing"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/gen"
)

// specimens are small graphs of many kinds.
var specimens = []string{"complete:8", "star:1", "line:31", "ring:12", "ring:12,directed", "grid:3x4x2", "torus:4x5",
	"hypercube:4", "tree:n=12,r=3", "cliques:3,3", "er:n=60,p=0.1,seed=3", "er:60,0", "geometric:n=80,r=0.2", "ba:n=50,m=3",
	"sbm:sizes=4+3,inside=1,outside=0", "regular:5,0", "florentine", "davis"}

func mustParse(t testing.TB, expr string) *graph.Graph {
	t.Helper()
	g, err := gen.Parse(expr, 1)
	if err != nil {
		t.Fatal(err)
	}
	return g
}
