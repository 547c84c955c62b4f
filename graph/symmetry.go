package graph

import (
	"strconv"
	"strings"
)

// A Symmetry is a family of graphs whose nodes are all alike, and its sides:
// the dimension of a hypercube, the length of a ring, the rows and columns of
// a torus, the nodes of a complete graph.
type Symmetry struct {
	Family string // "complete", "hypercube", "ring", "torus"
	Sides  []int
}

// Symmetry reports the family of a graph made by its generator. Graphs read
// from a file never have one.
func (g *Graph) Symmetry() (Symmetry, bool) {
	if g.labels != nil || !IsExpression(g.name) {
		return Symmetry{}, false
	}
	n := g.Len()
	family, rest, _ := strings.Cut(g.name, ":")
	switch family {
	case "complete", "ring":
		return Symmetry{family, []int{n}}, true
	case "hypercube", "exponential":
		dimension := 0
		for 1<<dimension < n {
			dimension++
		}
		return Symmetry{"hypercube", []int{dimension}}, 1<<dimension == n
	case "torus":
		return torusSides(rest, n)
	}
	return Symmetry{}, false
}

// torusSides reads ROWSxCOLUMNS.
func torusSides(text string, n int) (Symmetry, bool) {
	rows, columns, ok := strings.Cut(text, "x")
	r, err1 := strconv.Atoi(rows)
	c, err2 := strconv.Atoi(columns)
	return Symmetry{"torus", []int{r, c}}, ok && err1 == nil && err2 == nil && r*c == n
}
