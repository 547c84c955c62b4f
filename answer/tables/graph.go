package tables

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/graphfile"
)

// MakeGraph writes a graph to a file, or to ask.Stdout if out is "".
func MakeGraph(ask form.Asker, g *graph.Graph, out string) error {
	switch {
	case out != "":
		if err := graphfile.Save(out, g); err != nil {
			return err
		}
		if ask.JSON {
			return ask.Value(GraphMade{g.Name(), g.Len(), g.Edges(), out})
		}
		fmt.Fprintf(ask.Stderr, "%s: %d nodes, %d edges written to %s\n", g.Name(), g.Len(), g.Edges(), out)
		return nil
	case ask.JSON:
		return fault.New("graph make --json without --out would mix an edge list into the JSON",
			"name a file with --out, or leave out --json")
	}
	if err := graph.Write(ask.Stdout, g); err != nil {
		return fault.Wrap(err, "cannot write the graph to stdout", "name a file with --out")
	}
	return nil
}

// A GraphMade describes a graph and the file to which it was written.
type GraphMade struct {
	Name  string `json:"name"`
	Nodes int    `json:"nodes"`
	Edges int    `json:"edges"`
	Out   string `json:"out"`
}
