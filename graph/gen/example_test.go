package gen_test

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/graph/gen"
)

func ExampleParse() {
	for _, expr := range []string{"hypercube:11", "grid:45x45", "er:n=200,p=0.05,seed=1", "tours:3x3"} {
		g, err := gen.Parse(expr, 1)
		if err != nil {
			fmt.Println(err)
			continue
		}
		_, alike := g.Symmetry()
		fmt.Printf("%s: %d nodes, all alike: %v\n", g.Name(), g.Len(), alike)
	}
	// Output:
	// hypercube:11: 2048 nodes, all alike: true
	// grid:45x45: 2025 nodes, all alike: false
	// er:n=200,p=0.05,seed=1: 200 nodes, all alike: false
	// there is no graph generator "tours" (in "tours:3x3")
}
