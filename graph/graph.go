// Package graph holds communication topologies and computes their transition
// matrices, spectra, distances and centralities. Graphs are values in compressed
// rows. They never change after they are built, so goroutines may share them.
//
// A graph comes from an expression (package gen), an edge list (Read) or a slice
// of edges (FromEdges). NewTransition puts a random walk on it. The matrix of the
// walk also serves as gossip weights.
//
// The package is pure. It opens no file (package graph/graphfile does) and draws
// only from the seeds that it is given.
package graph

import (
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
)

// A Graph has nodes 0..Len()-1 and sorted neighbour lists without loops or
// repeats. Unless Directed, v is a neighbour of u exactly when u is one of v.
type Graph struct {
	name    string
	design  Design
	offsets []int
	targets []int32
	labels  *labels // the ids of an edge-list file; nil for 0..n-1
	dropped Dropped
	weights *edgeWeights // the edge weights of a file; nil if it gives none
}

// A Point is a position in the unit square.
type Point struct{ X, Y float64 }

// Dropped counts the parts of a file that a reader left out of a graph.
type Dropped struct {
	Loops   int    // edges from a node to itself
	Repeats int    // edges already present, in either direction if undirected
	Header  string // the line taken for a header, if any
	Weights int    // edges with a weight other than 1, which only edges rules use
	Columns int    // edges with further columns or attributes, which are ignored
	Zeros   int    // matrix entries that are 0, which are no edges
	Said    string // further notes of the reader on how it understood the file
}

// Note tells the user which parts of the file were left out. It returns "" if
// nothing was.
func (d Dropped) Note() string {
	var parts []string
	for _, p := range []struct {
		count int
		what  string
	}{
		{d.Weights, "the weights of %d edges are not used: the rule of weights gives every edge its weight (weights: edges uses them)"},
		{d.Columns, "further columns or attributes of %d edges are ignored"},
		{d.Zeros, "%d entries of the matrix are 0 and no edges"},
		{d.Loops, "%d edges from a node to itself are left out"},
		{d.Repeats, "%d edges that are there already are left out"},
	} {
		if p.count > 0 {
			parts = append(parts, sprintf(p.what, p.count))
		}
	}
	if d.Header != "" {
		parts = append(parts, sprintf("the first line, %q, is taken for a header", d.Header))
	}
	if d.Said != "" {
		parts = append(parts, d.Said)
	}
	return strings.Join(parts, "; ")
}

// Len returns the number of nodes.
func (g *Graph) Len() int { return len(g.offsets) - 1 }

// Edges returns the number of edges. Each undirected edge counts once.
func (g *Graph) Edges() int {
	if g.design.Directed {
		return len(g.targets)
	}
	return len(g.targets) / 2
}

// Name returns the expression the graph was made from, such as "hypercube:11".
func (g *Graph) Name() string { return g.name }

// Directed reports whether edges have a direction.
func (g *Graph) Directed() bool { return g.design.Directed }

// Dropped returns the parts that were left out when the graph was read.
func (g *Graph) Dropped() Dropped { return g.dropped }

// Degree returns the number of (out-)neighbours of u.
func (g *Graph) Degree(u int) int { return g.offsets[u+1] - g.offsets[u] }

// Neighbours returns the sorted (out-)neighbours of u. The caller must not change
// them.
func (g *Graph) Neighbours(u int) []int32 { return g.targets[g.offsets[u]:g.offsets[u+1]] }

// HasEdge reports whether v is a(n out-)neighbour of u.
func (g *Graph) HasEdge(u, v int) bool {
	_, found := search(g.Neighbours(u), v)
	return found
}

// Position returns where the generator of the graph placed node u in the unit
// square. It returns false if the topology has no natural picture (see Layout).
func (g *Graph) Position(u int) (Point, bool) {
	if g.design.Place == nil {
		return Point{}, false
	}
	return g.design.Place(u), true
}

// DegreeRange returns the smallest, mean and largest (out-)degree.
func (g *Graph) DegreeRange() (low int, mean float64, high int) {
	low = g.Degree(0)
	for u := range g.Len() {
		low, high = min(low, g.Degree(u)), max(high, g.Degree(u))
	}
	return low, float64(len(g.targets)) / float64(g.Len()), high
}

// Connected returns nil if g is connected (if directed: strongly). Otherwise the
// error gives the number of components.
func (g *Graph) Connected() error {
	of, sizes := g.Components()
	if len(sizes) == 1 {
		return nil
	}
	most := 0
	for i, size := range sizes {
		if size > sizes[most] {
			most = i
		}
	}
	what := sprintf("the graph %s is not connected: %d components, the largest holds %d of %d nodes", g.name, len(sizes), sizes[most], g.Len())
	if g.labels != nil { // of a file
		out := slices.IndexFunc(of, func(c int32) bool { return int(c) != most })
		hint := sprintf("add edges, or leave out the lines of nodes outside of the largest, such as %.40q", g.Label(out))
		if g.design.Directed {
			hint = "say directed: false, so that arrows are edges both ways; " + hint
		}
		return fault.New(what, hint)
	}
	return fault.New(what, "add edges, raise p or r, or write connected=true to have a random graph redrawn until it is connected")
}
