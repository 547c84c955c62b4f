package attack_test

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/attack"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/privacy/gossipview"
)

// Two corners of a grid pool their messages. The example lists the nodes whose
// values they compute.
func ExampleNewGossip() {
	g, _ := gen.Parse("grid:5x5", 1)
	w, err := graph.NewTransition(g, "hamilton")
	if err != nil {
		fmt.Println(err)
		return
	}
	averaging, err := gossipview.New(w.Sparse(), 4)
	if err != nil {
		fmt.Println(err)
		return
	}
	found, err := attack.NewGossip(averaging, []int{0, 24})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("reconstructed:", found.Reconstructed())
	fmt.Printf("of the middle they hold %.3f\n", found.View.Leakage(12))
	// Output:
	// reconstructed: [0 1 5 19 23 24]
	// of the middle they hold 0.430
}
