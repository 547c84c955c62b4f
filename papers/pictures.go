package papers

import (
	"slices"

	"github.com/hearsay-dp/hearsay/graph"
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

// coloured draws a graph with positions: the attacker, the nodes that were found, and the others.
func coloured(g *graph.Graph, title string, attacker int, found []int) Panel {
	edges := Line{Segments: true}
	var x, y [3][]float64
	for u := range g.Len() {
		p, _ := g.Position(u)
		k := 2
		switch {
		case u == attacker:
			k = 1
		case slices.Contains(found, u):
			k = 0
		}
		x[k], y[k] = append(x[k], p.X), append(y[k], p.Y)
		for _, v := range g.Neighbours(u) {
			if to, _ := g.Position(int(v)); int(v) > u {
				edges.X, edges.Y = append(edges.X, p.X, to.X), append(edges.Y, p.Y, to.Y)
			}
		}
	}
	return Panel{Title: title, Linear: true, Lines: []Line{dots("reconstructed", x[0], y[0]), edges, dots("others", x[2], y[2]), dots("attacker", x[1], y[1])}}
}
