package gen

import (
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/math"
)

func buildComplete(e *expression) *graph.Graph {
	n := e.integer("n", 1, graph.MaxNodes)
	if !e.fits(float64(n), float64(n)*float64(n-1)) {
		return nil
	}
	return graph.FromRows(n, n*n, func(row []int32, _ int) []int32 {
		for v := range n {
			row = append(row, int32(v))
		}
		return row
	}).With(graph.Design{Place: circle(n), Symmetry: graph.Symmetry{Family: "complete", Sides: []int{n}}})
}

// buildStar builds a star with centre 0.
func buildStar(e *expression) *graph.Graph {
	n := e.integer("n", 1, graph.MaxNodes)
	if !e.fits(float64(n), 2*float64(n)) {
		return nil
	}
	g := graph.FromRows(n, 2*n, func(row []int32, u int) []int32 {
		if u > 0 {
			return append(row, 0)
		}
		for v := range n {
			row = append(row, int32(v))
		}
		return row
	})
	rim := circle(max(n-1, 1))
	return g.With(graph.Design{Place: func(u int) graph.Point {
		if u == 0 {
			return graph.Point{X: 0.5, Y: 0.5}
		}
		return rim(u - 1)
	}})
}

func buildLine(e *expression) *graph.Graph {
	n := e.integer("n", 1, graph.MaxNodes)
	return e.lattice([]int{n}, false)
}

func buildRing(e *expression) *graph.Graph {
	n := e.integer("n", 3, graph.MaxNodes)
	directed := e.flag("directed")
	if !e.fits(float64(n), 2*float64(n)) {
		return nil
	}
	g := graph.FromRows(n, 2*n, func(row []int32, u int) []int32 {
		row = append(row, int32((u+1)%n))
		if !directed {
			row = append(row, int32((u+n-1)%n))
		}
		return row
	})
	design := graph.Design{Directed: directed, Place: circle(n)}
	if !directed { // one way round, neighbours on either side are not alike
		design.Symmetry = graph.Symmetry{Family: "ring", Sides: []int{n}}
	}
	return g.With(design)
}

// buildCliques builds a ring of cliques. Clique i holds nodes i*size up to
// (i+1)*size-1, and its second node is joined to the first node of the next
// clique.
func buildCliques(e *expression) *graph.Graph {
	count, size := e.integer("count", 2, graph.MaxNodes), e.integer("size", 2, graph.MaxNodes)
	n := count * size
	if !e.fits(float64(count)*float64(size), float64(count)*float64(size)*float64(size)) {
		return nil
	}
	return graph.FromRows(n, n*size+2*count, func(row []int32, u int) []int32 {
		first := u - u%size
		for v := first; v < first+size; v++ {
			row = append(row, int32(v))
		}
		switch u % size {
		case 0:
			row = append(row, int32((first-size+1+n)%n))
		case 1:
			row = append(row, int32((first+size)%n))
		}
		return row
	}).With(graph.Design{Place: circleOfCircles(count, size)})
}

// circle places n nodes on a circle, the first at the right.
func circle(n int) func(u int) graph.Point {
	return func(u int) graph.Point {
		sin, cos := math.Sincos(2 * math.Pi * float64(u) / float64(n))
		return graph.Point{X: 0.5 + float64(0.5*cos), Y: 0.5 + float64(0.5*sin)}
	}
}

// circleOfCircles places count groups on a circle, and the size nodes of each
// group on a small circle.
func circleOfCircles(count, size int) func(u int) graph.Point {
	large, small := circle(count), circle(size)
	radius := min(0.25, 1.2/float64(count))
	return func(u int) graph.Point {
		centre, at := large(u/size), small(u%size)
		return graph.Point{
			X: float64(radius/2) + float64((1-radius)*centre.X) + float64(radius*(at.X-0.5)),
			Y: float64(radius/2) + float64((1-radius)*centre.Y) + float64(radius*(at.Y-0.5)),
		}
	}
}
