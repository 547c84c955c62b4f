package papers

import (
	"slices"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// mostDots is the largest number of dots of a line. Of more, every so many are drawn.
const mostDots = 1500

// dots returns a line that is drawn as dots.
func dots(name string, x, y []float64) Line {
	stride := 1 + (len(x)-1)/mostDots
	l := Line{Name: name, Dots: true}
	for i := 0; i < len(x); i += stride {
		l.X, l.Y = append(l.X, x[i]), append(l.Y, y[i])
	}
	return l
}

// mostEdges is the largest number of edges that a picture of a graph shows.
const mostEdges = 6000

// edgesOf returns the edges of a graph as lines between places, none if they are too many to tell apart.
func edgesOf(g *graph.Graph, at []graph.Point) Line {
	edges := Line{Segments: true}
	if g.Edges() > mostEdges {
		return edges
	}
	for u, p := range at {
		for _, v := range g.Neighbours(u) {
			if to := at[v]; int(v) > u {
				edges.X, edges.Y = append(edges.X, p.X, to.X), append(edges.Y, p.Y, to.Y)
			}
		}
	}
	return edges
}

// placed returns the places of the nodes of a graph to a thousandth.
func placed(g *graph.Graph) []graph.Point {
	at := graph.Layout(g)
	for u, p := range at {
		at[u] = graph.Point{X: math.Round(1e3*p.X) / 1e3, Y: math.Round(1e3*p.Y) / 1e3}
	}
	return at
}

// coloured draws a graph: the attacker, the nodes that were found, and the others.
func coloured(g *graph.Graph, title string, attacker int, found []int) Panel {
	at := placed(g)
	nodes := []Line{edgesOf(g, at), {Name: "reconstructed", Dots: true, Shade: len(scale)}, {Name: "others", Dots: true, Shade: 1}, {Name: "attacker", Dots: true}}
	for u, p := range at {
		k := 2
		switch {
		case u == attacker:
			k = 3
		case slices.Contains(found, u):
			k = 1
		}
		nodes[k].X, nodes[k].Y = append(nodes[k].X, p.X), append(nodes[k].Y, p.Y)
	}
	return Panel{Title: title, Linear: true, Graph: true, Lines: nodes}
}

// shaded draws a graph with its nodes in the colours of values, from the least to the largest: one step of the scale up
// to each of bounds, and one above them. The centre has a colour of its own, unless it is -1.
func shaded(g *graph.Graph, title string, centre int, values, bounds []float64) Panel {
	at := placed(g)
	lines := []Line{edgesOf(g, at)}
	for k := range len(bounds) + 1 {
		l := Line{Name: stepOf(bounds, k), Dots: true, Shade: k + 1}
		for u, p := range at {
			if step, _ := slices.BinarySearch(bounds, values[u]); u != centre && step == k {
				l.X, l.Y = append(l.X, p.X), append(l.Y, p.Y)
			}
		}
		lines = append(lines, l)
	}
	if centre >= 0 {
		lines = append(lines, Line{Name: "seen by", X: []float64{at[centre].X}, Y: []float64{at[centre].Y}, Dots: true})
	}
	return Panel{Title: title, Linear: true, Graph: true, Lines: lines}
}

// stepOf names a step of a scale with bounds.
func stepOf(bounds []float64, k int) string {
	switch k {
	case 0:
		return "up to " + number(bounds[0])
	case len(bounds):
		return "above " + number(bounds[k-1])
	}
	return "up to " + number(bounds[k])
}
