package gossipview_test

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/privacy/gossipview"
)

// What one node of a random graph learns about the others in two rounds of averaging:
// a leakage of 1 says that it can compute the noisy value.
func Example() {
	g, _ := gen.Parse("er:n=20,p=0.25,seed=4,connected", 1)
	w, err := graph.NewTransition(g, "hamilton")
	if err != nil {
		fmt.Println(err)
		return
	}
	averaging, err := gossipview.New(w.Sparse(), 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	view, err := averaging.View([]int{0})
	if err != nil {
		fmt.Println(err)
		return
	}
	for u := range 6 {
		fmt.Printf("node %d: %.3f\n", u, view.Leakage(u))
	}
	fmt.Println("reconstructed:", view.Reconstructed())
	// Output:
	// node 0: 1.000
	// node 1: 0.482
	// node 2: 1.000
	// node 3: 0.337
	// node 4: 0.493
	// node 5: 0.000
	// reconstructed: [0 2 6 7 8 10 13]
}
