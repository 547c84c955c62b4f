package gen

import (
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// buildTree builds the tree in which the parent of node u > 0 is (u-1)/r.
// Levels fill from the left. r is 2 unless it is given.
func buildTree(e *expression) *graph.Graph {
	n, r := e.integer("n", 1, graph.MaxNodes), 2
	if _, given := e.values["r"]; given {
		r = e.integer("r", 1, graph.MaxNodes)
	}
	return e.tree(n, r)
}

// buildBalanced builds the tree of height h whose inner nodes all have r
// children. It has 1 + r + .. + r^h nodes.
func buildBalanced(e *expression) *graph.Graph {
	r, h := e.integer("r", 1, graph.MaxNodes), e.integer("h", 0, graph.MaxNodes)
	n, level := 1.0, 1.0
	for range h {
		level = float64(level * float64(r))
		if n += level; !e.fits(n, 2*n) {
			return nil
		}
	}
	return e.tree(int(n), r)
}

func (e *expression) tree(n, r int) *graph.Graph {
	if !e.fits(float64(n), 2*float64(n)) {
		return nil
	}
	return graph.FromRows(n, 2*n, func(row []int32, u int) []int32 {
		if u > 0 {
			row = append(row, int32((u-1)/r))
		}
		for child := u*r + 1; child <= min(u*r+r, n-1); child++ {
			row = append(row, int32(child))
		}
		return row
	}).With(graph.Design{Place: levels(n, r)})
}

// levels places a tree with the root on top and each level spread evenly.
func levels(n, r int) func(u int) graph.Point {
	depth, _, _ := level(n-1, r)
	return func(u int) graph.Point {
		d, first, width := level(u, r)
		return graph.Point{
			X: (float64(u-first) + 0.5) / float64(width),
			Y: 1 - (float64(d)+0.5)/float64(depth+1),
		}
	}
}

// level returns the depth of node u, the first node of its level and the
// number of nodes of the full level.
func level(u, r int) (depth, first, width int) {
	if r == 1 {
		return u, u, 1
	}
	width = 1
	for u >= first+width {
		first += width
		width = min(width*r, math.MaxInt/2/r)
		depth++
	}
	return depth, first, width
}
