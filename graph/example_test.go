package graph_test

import (
	"fmt"
	"strings"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/graphfile"
)

// One's own graph, as an edge list with names, and the random walk on it.
func Example() {
	friends := "Ada,Ben\nBen,Cleo\nCleo,Ada\nCleo,Dora\n"
	g, err := graphfile.Read(strings.NewReader(friends), "friends")
	if err != nil {
		fmt.Println(err)
		return
	}
	w, err := graph.NewTransition(g, "hamilton")
	if err != nil {
		fmt.Println(err)
		return
	}
	cleo, _ := g.Find("Cleo")
	for _, v := range g.Neighbours(cleo) {
		fmt.Printf("from Cleo to %s: %.2f\n", g.Label(int(v)), w.At(cleo, int(v)))
	}
	gap, err := w.SpectralGap()
	fmt.Printf("spectral gap %.3f, %v\n", gap.Value, err)
	// Output:
	// from Cleo to Ada: 0.25
	// from Cleo to Ben: 0.25
	// from Cleo to Dora: 0.25
	// spectral gap 0.250, <nil>
}
