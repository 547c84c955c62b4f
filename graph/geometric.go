package graph

import "github.com/hearsay-dp/hearsay/internal/math"

// WithinReach joins points at a distance of at most radius >= 0 and places the nodes there. Points
// must lie in the unit square. The square is cut into cells no smaller than radius, so only the nine
// cells around a point can hold its neighbours.
func WithinReach(points []Point, radius float64) *Graph {
	cells := newCells(points, radius)
	return FromRows(len(points), cells.candidates(), func(row []int32, u int) []int32 {
		cells.around(points[u], func(v int32) {
			if math.Hypot(points[u].X-points[v].X, points[u].Y-points[v].Y) <= radius {
				row = append(row, v)
			}
		})
		return row
	}).With(Design{Place: func(u int) Point { return points[u] }})
}

// A cells sorts the points of the unit square into side x side squares.
type cells struct {
	side    int
	starts  []int   // cell c holds members[starts[c]:starts[c+1]]
	members []int32 // points by cell
}

// newCells makes cells at least as wide as width, and about as many as points at most.
func newCells(points []Point, width float64) *cells {
	side := int(min(1/width, math.Sqrt(float64(len(points)))))
	c := &cells{side: max(side, 1)}
	c.starts = make([]int, c.side*c.side+1)
	for _, p := range points {
		c.starts[c.index(p)+1]++
	}
	for k := range c.side * c.side {
		c.starts[k+1] += c.starts[k]
	}
	c.members = make([]int32, len(points))
	next := append([]int(nil), c.starts...)
	for u, p := range points {
		k := c.index(p)
		c.members[next[k]] = int32(u)
		next[k]++
	}
	return c
}

// coordinate returns the row or column of the cell that x falls in.
func (c *cells) coordinate(x float64) int {
	return min(max(int(x*float64(c.side)), 0), c.side-1)
}

func (c *cells) index(p Point) int { return c.coordinate(p.Y)*c.side + c.coordinate(p.X) }

// around calls visit for every point in the cell of p and the eight around it.
func (c *cells) around(p Point, visit func(v int32)) {
	x, y := c.coordinate(p.X), c.coordinate(p.Y)
	left, right := max(x-1, 0), min(x+1, c.side-1)
	for row := max(y-1, 0); row <= min(y+1, c.side-1); row++ {
		lo, hi := c.starts[row*c.side+left], c.starts[row*c.side+right+1]
		for _, v := range c.members[lo:hi] {
			visit(v)
		}
	}
}

// candidates estimates the number of neighbour entries of a graph that joins points within reach of a
// cell width. It multiplies the pairs within each cell by the area pi of a circle of that radius.
func (c *cells) candidates() int {
	total := 0.0
	for k := range c.side * c.side {
		size := float64(c.starts[k+1] - c.starts[k])
		total += float64(size * size)
	}
	return int(math.Pi * total)
}
