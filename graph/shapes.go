package graph

import "math"

func buildComplete(e *expression) *Graph {
	n := e.integer("n", 1, maxNodes)
	if !e.fits(float64(n), float64(n)*float64(n-1)) {
		return nil
	}
	g := fromRows(n, n*n, func(row []int32, _ int) []int32 {
		for v := range n {
			row = append(row, int32(v))
		}
		return row
	})
	g.place = circle(n)
	return g
}

// buildStar makes node 0 the centre.
func buildStar(e *expression) *Graph {
	n := e.integer("n", 1, maxNodes)
	if !e.fits(float64(n), 2*float64(n)) {
		return nil
	}
	g := fromRows(n, 2*n, func(row []int32, u int) []int32 {
		if u > 0 {
			return append(row, 0)
		}
		for v := range n {
			row = append(row, int32(v))
		}
		return row
	})
	rim := circle(max(n-1, 1))
	g.place = func(u int) Point {
		if u == 0 {
			return Point{0.5, 0.5}
		}
		return rim(u - 1)
	}
	return g
}

func buildLine(e *expression) *Graph {
	n := e.integer("n", 1, maxNodes)
	return e.lattice([]int{n}, false)
}

func buildRing(e *expression) *Graph {
	n := e.integer("n", 3, maxNodes)
	directed := e.flag("directed")
	if !e.fits(float64(n), 2*float64(n)) {
		return nil
	}
	g := fromRows(n, 2*n, func(row []int32, u int) []int32 {
		row = append(row, int32((u+1)%n))
		if !directed {
			row = append(row, int32((u+n-1)%n))
		}
		return row
	})
	g.directed, g.place = directed, circle(n)
	return g
}

// buildCliques makes a ring of cliques: clique i holds nodes i*size up to
// (i+1)*size-1, and its second node is tied to the first of the next clique.
func buildCliques(e *expression) *Graph {
	count, size := e.integer("count", 2, maxNodes), e.integer("size", 2, maxNodes)
	n := count * size
	if !e.fits(float64(count)*float64(size), float64(count)*float64(size)*float64(size)) {
		return nil
	}
	g := fromRows(n, n*size+2*count, func(row []int32, u int) []int32 {
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
	})
	g.place = circleOfCircles(count, size)
	return g
}

// circle places n nodes on a circle, the first at the right.
func circle(n int) func(u int) Point {
	return func(u int) Point {
		sin, cos := math.Sincos(2 * math.Pi * float64(u) / float64(n))
		return Point{0.5 + 0.5*cos, 0.5 + 0.5*sin}
	}
}

// circleOfCircles places count groups on a circle, the size nodes of each on
// a small circle of its own.
func circleOfCircles(count, size int) func(u int) Point {
	large, small := circle(count), circle(size)
	radius := min(0.25, 1.2/float64(count))
	return func(u int) Point {
		centre, at := large(u/size), small(u%size)
		return Point{
			radius/2 + (1-radius)*centre.X + radius*(at.X-0.5),
			radius/2 + (1-radius)*centre.Y + radius*(at.Y-0.5),
		}
	}
}
