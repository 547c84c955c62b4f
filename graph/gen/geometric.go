package gen

import (
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/step"
)

func buildGeometric(e *expression) *graph.Graph {
	n, radius := e.integer("n", 1, graph.MaxNodes), e.real("r", 2)
	if !e.fits(float64(n), float64(n)*float64(n)*min(1, math.Pi*radius*radius)) {
		return nil
	}
	return e.draw(func(s *step.Stream, turn step.Turn) *graph.Graph {
		r := s.At(e.seed, 0, turn, 0, step.Topology)
		points := make([]graph.Point, n)
		for u := range points {
			points[u] = graph.Point{X: r.Float64(), Y: r.Float64()}
		}
		return graph.WithinReach(points, radius)
	})
}
