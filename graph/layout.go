package graph

import (
	"cmp"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/spectral"
	"github.com/hearsay-dp/hearsay/sparse"
)

// Layout returns a position in the unit square for every node. It uses the
// positions of the generator if there are any; otherwise the drawing depends
// on the graph alone. That drawing starts from the two slowest modes of the
// lazy walk, which keep neighbours together. A few steps of attraction along
// edges and repulsion between close nodes then spread the nodes (Fruchterman
// and Reingold 1991).
func Layout(g *Graph) []Point {
	if g.design.Place != nil {
		points := make([]Point, g.Len())
		for u := range points {
			points[u] = g.design.Place(u)
		}
		return points
	}
	if g.design.Directed {
		g = g.undirected()
	}
	points := spectralLayout(g)
	relax(g, points)
	return points
}

const (
	layoutSteps = 60   // of Lanczos for each mode: a picture needs no digits
	relaxRounds = 60   // of forces, fewer on graphs of more than relaxNodes
	relaxNodes  = 4096 // nodes that can be relaxed in well under a second
)

// spectralLayout uses the ranks of nodes in the second and third eigenvector
// of the symmetrised lazy walk as coordinates. Ranks spread nodes that the
// eigenvectors crowd together. Ties go by node.
func spectralLayout(g *Graph) []Point {
	walk := lazyWalk{g, make([]float64, g.Len())}
	top := make([]float64, g.Len())
	for u := range top {
		top[u] = walk.root(u)
	}
	sparse.Scale(top, 1/sparse.Norm(top))
	found := [][]float64{top}
	for len(found) < min(3, g.Len()) {
		ends := spectral.Lanczos{
			A: walk, Start: randomVector(g.Len()), Deflate: found, Norm: 1, MaxSteps: layoutSteps,
			Enough: func(_, high spectral.Ritz) bool { return high.Residual < 1e-4 },
		}.Ends()
		mode, _ := ends.Vector(ends.High)
		found = append(found, mode)
	}
	points := make([]Point, g.Len())
	for u := range points {
		points[u] = Point{0.5, 0.5}
	}
	if len(found) > 1 {
		ranks(found[1], func(u int, rank float64) { points[u].X = rank })
	}
	if len(found) > 2 {
		ranks(found[2], func(u int, rank float64) { points[u].Y = rank })
	}
	return points
}

// ranks calls set with the rank of every node in values, scaled to 0..1.
func ranks(values []float64, set func(u int, rank float64)) {
	order := make([]int, len(values))
	for u := range order {
		order[u] = u
	}
	slices.SortStableFunc(order, func(u, v int) int { return cmp.Compare(values[u], values[v]) })
	for k, u := range order {
		set(u, (float64(k)+0.5)/float64(len(order)))
	}
}

// A lazyWalk is (I + D^-1/2 (A+I) D^-1/2)/2, where D holds the degrees plus
// one. It is the adjacency matrix with loops, scaled to eigenvalues 0..1.
type lazyWalk struct {
	*Graph
	scratch []float64
}

func (l lazyWalk) root(u int) float64 { return math.Sqrt(float64(l.Degree(u)) + 1) }

func (l lazyWalk) Mul(dst, x []float64) {
	for u := range dst {
		l.scratch[u] = x[u] / l.root(u)
	}
	for u := range dst {
		sum := l.scratch[u]
		for _, v := range l.Neighbours(u) {
			sum += l.scratch[v]
		}
		dst[u] = (x[u] + sum/l.root(u)) / 2
	}
}

// relax moves nodes by attraction d^2/k along edges, averaged over the
// neighbours, and repulsion k^2/d between nodes closer than 2k. k is the side
// of the square that each node would have to itself. The largest step shrinks
// with the rounds.
func relax(g *Graph, points []Point) {
	k := math.Sqrt(1 / float64(g.Len()))
	force := make([]Point, g.Len())
	rounds := min(relaxRounds, max(5, relaxRounds*relaxNodes/g.Len()))
	for round := range rounds {
		cells := newCells(points, 2*k)
		for u := range points {
			force[u] = repulsion(cells, points, u, k)
			attract(&force[u], g.Neighbours(u), points, u, k)
		}
		limit := float64(0.1*math.Pow(1-float64(round)/float64(rounds), 2)) + float64(0.2*k)
		for u, f := range force {
			size := math.Hypot(f.X, f.Y)
			if size == 0 {
				continue
			}
			move := min(size, limit) / size
			points[u].X += float64(move * f.X)
			points[u].Y += float64(move * f.Y)
		}
	}
	fit(points)
}

func repulsion(c *cells, points []Point, u int, k float64) Point {
	var f Point
	c.around(points[u], func(v int32) {
		dx, dy := points[u].X-points[v].X, points[u].Y-points[v].Y
		d2 := float64(dx*dx) + float64(dy*dy)
		if d2 > 0 && d2 < 4*k*k {
			f.X += dx * k * k / d2
			f.Y += dy * k * k / d2
		}
	})
	return f
}

func attract(f *Point, row []int32, points []Point, u int, k float64) {
	for _, v := range row {
		dx, dy := points[v].X-points[u].X, points[v].Y-points[u].Y
		d := math.Hypot(dx, dy)
		f.X += dx * d / k / float64(len(row))
		f.Y += dy * d / k / float64(len(row))
	}
}

// fit stretches points to fill the unit square, keeping proportions.
func fit(points []Point) {
	low, high := points[0], points[0]
	for _, p := range points {
		low = Point{min(low.X, p.X), min(low.Y, p.Y)}
		high = Point{max(high.X, p.X), max(high.Y, p.Y)}
	}
	size := max(high.X-low.X, high.Y-low.Y)
	if size == 0 {
		return
	}
	for u, p := range points {
		points[u] = Point{
			clamp(0.5 + (p.X-float64((low.X+high.X)/2))/size),
			clamp(0.5 + (p.Y-float64((low.Y+high.Y)/2))/size),
		}
	}
}

// clamp undoes rounding beyond 0..1.
func clamp(x float64) float64 { return min(max(x, 0), 1) }
