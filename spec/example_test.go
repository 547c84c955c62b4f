package spec_test

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/experiment"
)

// A spec has every default filled in once it is parsed; what it does not know is
// an error.
func ExampleKinds_Parse() {
	s, err := experiment.Parse([]byte(`
data: {source: mean, features: 8}
graph: hypercube:6
model: {kind: mean}
algorithm: {kind: gossip, clip: 1}
privacy: {sigma: 2}
`), "mine.yaml")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Algorithm.Kind, "on", s.Graph, "with seed", s.Seed)

	_, err = experiment.Parse([]byte("grahp: hypercube:6\n"), "mine.yaml")
	fmt.Println(err)
	// Output:
	// gossip on hypercube:6 with seed 1
	// mine.yaml:1:1: unknown field "grahp"
}
