package spec_test

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/spec"
)

// A spec has every default filled in once it is parsed; what it does not know is
// an error.
func ExampleParse() {
	s, err := spec.Parse([]byte(`
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

	_, err = spec.Parse([]byte("grahp: hypercube:6\n"), "mine.yaml")
	fmt.Println(err)
	// Output:
	// gossip on hypercube:6 with seed 1
	// mine.yaml:1:1: unknown field "grahp"
}
