package gen

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/math"
)

func buildGrid(e *expression) *graph.Graph {
	return e.lattice(e.integers("sides", "x", 1, graph.MaxNodes), false)
}

func buildTorus(e *expression) *graph.Graph {
	return e.lattice(e.integers("sides", "x", 1, graph.MaxNodes), true)
}

// lattice joins the points of a box of integers that differ by one in one
// coordinate. If wraps, it also joins across the border. The last coordinate
// of the node numbers runs fastest.
func (e *expression) lattice(sides []int, wraps bool) *graph.Graph {
	nodes := 1.0
	for _, side := range sides {
		nodes *= float64(side)
	}
	if !e.fits(nodes, 2*float64(len(sides))*nodes) {
		return nil
	}
	n := int(nodes)
	g := graph.FromRows(n, 2*len(sides)*n, func(row []int32, u int) []int32 {
		return appendLatticeRow(row, u, sides, wraps)
	})
	var design graph.Design
	if len(sides) <= 2 {
		design.Place = rectangle(n/sides[len(sides)-1], sides[len(sides)-1])
	}
	if wraps && len(sides) == 2 {
		design.Symmetry = graph.Symmetry{Family: "torus", Sides: sides}
	}
	return g.With(design)
}

// appendLatticeRow appends the neighbours of u. It goes through the
// coordinates from the last, where one step is one node, to the first.
func appendLatticeRow(row []int32, u int, sides []int, wraps bool) []int32 {
	stride, rest := 1, u
	for _, side := range slices.Backward(sides) {
		x := rest % side
		rest /= side
		if x+1 < side {
			row = append(row, int32(u+stride))
		} else if wraps {
			row = append(row, int32(u-x*stride))
		}
		if x > 0 {
			row = append(row, int32(u-stride))
		} else if wraps {
			row = append(row, int32(u+(side-1)*stride))
		}
		stride *= side
	}
	return row
}

// rectangle places nodes in rows and columns, the first row on top.
func rectangle(rows, columns int) func(u int) graph.Point {
	side := float64(max(rows, columns))
	return func(u int) graph.Point {
		x, y := float64(u%columns), float64(u/columns)
		return graph.Point{X: 0.5 + (x-float64(float64(columns-1)/2))/side, Y: 0.5 - (y-float64(float64(rows-1)/2))/side}
	}
}

func buildHypercube(e *expression) *graph.Graph { return e.hypercube(e.integer("d", 1, 30)) }

// buildExponential builds the hypercube under the name that the papers use.
func buildExponential(e *expression) *graph.Graph {
	n := e.integer("n", 2, graph.MaxNodes)
	if bits.OnesCount(uint(n)) != 1 {
		e.fail(fmt.Sprintf("needs a power of two, not %d", n), fmt.Sprintf("the nearest are %d and %d",
			1<<(bits.Len(uint(n))-1), 1<<bits.Len(uint(n))))
	}
	return e.hypercube(bits.Len(uint(n)) - 1)
}

// hypercube joins the numbers below 2^d that differ in one bit.
func (e *expression) hypercube(d int) *graph.Graph {
	n := 1 << d
	if !e.fits(float64(n), float64(n)*float64(d)) {
		return nil
	}
	return graph.FromRows(n, n*d, func(row []int32, u int) []int32 {
		for bit := range d {
			row = append(row, int32(u^1<<bit))
		}
		return row
	}).With(graph.Design{Place: petrie(d), Symmetry: graph.Symmetry{Family: "hypercube", Sides: []int{d}}})
}

// petrie projects a hypercube onto the plane of its Petrie polygon: bit k
// moves a node by a vector at angle pi (k+1/2)/d. The lengths differ a little
// so that no two nodes coincide.
func petrie(d int) func(u int) graph.Point {
	step := make([]graph.Point, d)
	var reach graph.Point
	for k := range step {
		length := 1 + 0.15*float64(k)/float64(d)
		sin, cos := math.Sincos(math.Pi * (float64(k) + 0.5) / float64(d))
		step[k] = graph.Point{X: length * cos, Y: length * sin}
		reach.X += math.Abs(step[k].X)
		reach.Y += math.Abs(step[k].Y)
	}
	size := 2 * max(reach.X, reach.Y)
	return func(u int) graph.Point {
		var at graph.Point
		for k, s := range step {
			sign := float64(2*(u>>k&1) - 1)
			at.X += float64(sign * s.X)
			at.Y += float64(sign * s.Y)
		}
		return graph.Point{X: 0.5 + at.X/size, Y: 0.5 + at.Y/size}
	}
}
