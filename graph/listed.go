package graph

import (
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
)

// A Listed is a graph as a file lists it.
type Listed struct {
	Name     string
	Nodes    []string   // names, all different
	Edges    [][2]int32 // indices into Nodes
	Weights  []float64  // one an edge, NaN where the file gives none; nil if it gives none at all
	Twice    *[2]int32  // an edge whose second weight the reader has dropped
	Directed bool
	Dropped  Dropped // what the reader left out; Graph counts loops and repeats
}

// Graph builds the graph. Nodes are numbered in the order of their names,
// integers by value. Loops and repeats are dropped. Names are checked; edges
// must be in range.
func (l Listed) Graph() (*Graph, error) {
	if len(l.Nodes) == 0 {
		return nil, fault.New(l.Name+": there is no node in it", "give a file with nodes and edges")
	}
	list := newEdgeList()
	list.directed, list.pairs = l.Directed, l.Edges
	for _, name := range l.Nodes {
		name = strings.TrimSpace(name)
		if err := checkName(name); err != nil {
			return nil, fault.Wrap(err, l.Name, fault.Hint(err))
		}
		if list.has(name) {
			return nil, fault.New(sprintf("%s: two nodes are called %q", l.Name, name), "give every node its own name")
		}
		list.node(name)
	}
	g := list.graph()
	loops, repeats := g.dropped.Loops, g.dropped.Repeats
	g.name, g.dropped = l.Name, l.Dropped
	g.dropped.Loops += loops
	g.dropped.Repeats += repeats
	if !slices.ContainsFunc(l.Weights, func(x float64) bool { return x == x }) {
		return g, nil
	}
	rank := make([]int, len(l.Nodes))
	for u, name := range l.Nodes {
		rank[u], _ = g.Find(strings.TrimSpace(name))
	}
	g.weigh(l.Edges, l.Weights, rank)
	if e := l.Twice; e != nil {
		g.weights.twice = &[2]int{rank[e[0]], rank[e[1]]}
	}
	return g, nil
}
