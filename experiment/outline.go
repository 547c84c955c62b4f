package experiment

import (
	"context"
	"slices"

	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/spec"
)

// Outline returns an algorithm of a kind on a graph, without data and with a model that
// nobody has named. g states the guarantees of its updates, most often asserted. Every
// node holds a row, and noise is in units of the sensitivity, which is 1. The algorithm can
// only be priced, by the schedule that a spec's algorithm would have. change
// sets the other values of the spec.
func Outline(ctx context.Context, kind string, t *graph.Transition, g model.Guarantees, change func(*spec.Spec)) (family.Algorithm, error) {
	s, err := Kinds().Draft(kind, func(s *spec.Spec) {
		s.Data.Source, s.Nodes, s.Graph, s.Weights = "none", t.Len(), t.Graph().Name(), t.Rule()
		s.Model.Kind, s.Model.Intercept = (model.Mean{}).Name(), false
		s.Algorithm.Clip, s.Algorithm.Fill = 0.5, false
		if s.Kind() != nil && !s.Kind().SetsSteps {
			s.Algorithm.StepSize = spec.StepSize{Base: 1}
		}
		change(s)
	})
	if err != nil {
		return nil, err
	}
	if t.Own() && !t.Graph().Directed() {
		if _, _, err := measureMixing(t); err != nil { // as a spec's weights
			return nil, err
		}
	}
	ground := family.Ground{Spec: s, Graph: t.Graph(), Transition: t, Watch: family.WatchOf(ctx)}
	h := *hold(ground, &dataset.Federation{Source: "none", Task: dataset.Mean, Bound: math.Inf(1), Shards: oneRowEach(t.Len()), Test: dataset.Block{Features: 1}})
	h.Objective, h.Guarantees = model.Objective{Model: model.Mean{}}, g
	a, err := family.Of(s).Prepare(ctx, h)
	if err != nil || s.Privacy.Sigma == nil {
		return a, err
	}
	return a.WithNoise(*s.Privacy.Sigma)
}

// oneRowEach returns shards of n nodes that hold a row of zeros each.
func oneRowEach(n int) *dataset.Shards {
	s := &dataset.Shards{Features: 1, X: make([]float64, n), Y: slices.Repeat([]float64{1}, n), Offsets: make([]int, n+1)}
	for v := range s.Offsets {
		s.Offsets[v] = v
	}
	return s
}
