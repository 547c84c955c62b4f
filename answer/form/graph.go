package form

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/graphfile"
)

// A GraphQuestion names a graph and its weights, a rule or the path of a matrix.
type GraphQuestion struct {
	Asker
	Graph, Weights string
	Seed           uint64
	Directed       bool // of a file, used if the flag was given: see graphfile.OpenAs
}

// Open builds the graph and its transition matrix. It notes the parts of a file that were left out on Stderr.
func (o *GraphQuestion) Open() (*graph.Transition, error) {
	g, err := graphfile.OpenAs(o.Graph, o.Seed, o.GivenBool("directed", o.Directed))
	if err != nil {
		return nil, err
	}
	t, err := graphfile.OpenTransition(g, o.Weights)
	if err != nil {
		return nil, err
	}
	if note := t.Graph().Dropped().Note(); note != "" {
		fmt.Fprintln(o.Stderr, "note: "+note)
	}
	return t, nil
}
