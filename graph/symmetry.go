package graph

// A Symmetry is a family of vertex-transitive graphs and its sides: the
// dimension of a hypercube, the length of a ring, the rows and columns of a
// torus, the nodes of a complete graph.
type Symmetry struct {
	Family string // "complete", "hypercube", "ring", "torus"
	Sides  []int
}

// Symmetry returns the symmetry that the generator of the graph declares. It
// returns false if there is none. A graph that was read or made of edges has
// none, whatever its name.
func (g *Graph) Symmetry() (Symmetry, bool) { return g.design.Symmetry, g.design.Symmetry.Family != "" }

// A Design holds the properties of a graph that its maker knows and its rows do
// not show.
type Design struct {
	Directed bool              // rows are those of out-neighbours
	Symmetry Symmetry          // the zero value if none is known
	Place    func(u int) Point // where nodes lie in the unit square; nil if the topology has no natural picture
}

// With returns the graph with a design. The rows are shared. Accountants rely on
// the Symmetry, so only the maker of the rows may set it.
func (g *Graph) With(d Design) *Graph {
	designed := *g
	designed.design = d
	return &designed
}

// Named returns the graph with a new name. The rows are shared.
func (g *Graph) Named(name string) *Graph {
	named := *g
	named.name = name
	return &named
}
