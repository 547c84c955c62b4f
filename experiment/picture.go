package experiment

import (
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/report"
)

// pictureLimit is the largest number of nodes of a graph that is drawn.
const pictureLimit = 8192

func (s *Priced) picture() *report.Picture {
	if s.Graph == nil || s.Graph.Len() > pictureLimit {
		return nil
	}
	g := s.Graph
	p := &report.Picture{Directed: g.Directed(), Hops: hopsTo(g), Names: s.Names()}
	for _, at := range positions(g) {
		p.X, p.Y = append(p.X, at.X), append(p.Y, at.Y)
	}
	for u := range g.Len() {
		for _, v := range g.Neighbours(u) {
			if g.Directed() || int32(u) < v {
				p.Edges = append(p.Edges, [2]int32{int32(u), v})
			}
		}
	}
	return p
}

// hopsTo finds the distances of all nodes to one, which a search finds from
// there against the arrows.
func hopsTo(g *graph.Graph) func(v int, dst []int32) {
	if g.Directed() {
		g = g.Reversed()
	}
	search := graph.NewSearch(g)
	return func(v int, dst []int32) { copy(dst, search.From(v)) }
}

// positions returns the generator's positions of nodes, or a layout if it has none.
func positions(g *graph.Graph) []graph.Point {
	points := make([]graph.Point, g.Len())
	for u := range points {
		p, ok := g.Position(u)
		if !ok {
			return graph.Layout(g)
		}
		points[u] = p
	}
	return points
}
