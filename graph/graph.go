// Package graph holds communication topologies and what is computed from
// them: transition matrices, spectra, distances, centralities. Graphs are
// values in compressed rows; once built they are never changed.
package graph

// A Graph has nodes 0..Len()-1 and sorted neighbour lists without loops or
// repeats. Unless Directed, v is a neighbour of u exactly when u is one of v.
type Graph struct {
	name     string
	directed bool
	offsets  []int
	targets  []int32
	labels   []string // the ids of an edge-list file, nil for 0..n-1
	position []Point  // where nodes lie, nil when the topology has no picture
}

// Point is a position in the unit square.
type Point struct{ X, Y float64 }

// Len is the number of nodes.
func (g *Graph) Len() int { return len(g.offsets) - 1 }

// Edges is the number of edges, each undirected edge once.
func (g *Graph) Edges() int {
	if g.directed {
		return len(g.targets)
	}
	return len(g.targets) / 2
}

// Name is the expression the graph was made from, such as "hypercube:11".
func (g *Graph) Name() string { return g.name }

// Directed reports whether edges have a direction.
func (g *Graph) Directed() bool { return g.directed }

// Degree is the number of (out-)neighbours of u.
func (g *Graph) Degree(u int) int { return g.offsets[u+1] - g.offsets[u] }

// Neighbours returns the sorted (out-)neighbours of u, borrowed.
func (g *Graph) Neighbours(u int) []int32 { return g.targets[g.offsets[u]:g.offsets[u+1]] }
