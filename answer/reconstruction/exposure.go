package reconstruction

import (
	"context"
	"fmt"

	"github.com/hearsay-dp/hearsay/answer/exposure"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/privacy/gossipview"
	"github.com/hearsay-dp/hearsay/sparse"
)

// reachOf returns who reconstructs whom without noise if gradients never changed. The matrix and the
// number of turns determine it.
func reachOf(w *sparse.Matrix, turns int) (*exposure.Reach, error) {
	averaging, err := gossipview.New(w, turns)
	if err != nil {
		return nil, err
	}
	n := float64(w.N)
	return exposure.NewReach(int(exposure.Work/(n*n*n)), func(set []int) ([]int, error) {
		view, err := averaging.View(set)
		if err != nil {
			return nil, err
		}
		return view.Reconstructed(), nil
	}), nil
}

// exposure finds who could reconstruct each node, and the edges whose removal stops the attackers.
func (r *rehearsed) exposure(ctx context.Context, answer *Answer, sets [][]int) error {
	a := r.algorithm
	n := a.Protocol.Nodes
	answer.Nodes = exposure.Unlooked(a.Graph)
	if a.Changes() {
		return nil
	}
	weights, err := a.Simulation(a.Spec.Seed)
	if err != nil {
		return err
	}
	s, err := reachOf(weights.Weights.Matrix(0), int(a.Protocol.Turns()))
	if err != nil {
		return err
	}
	if s.Budget < n {
		answer.Notes = append(answer.Notes, fmt.Sprintf("On %d nodes coalitions and edges were not looked at: that would take too long.", n))
		return nil
	}
	x := &exposure.Search{Reach: s, Graph: a.Graph, Say: r.say}
	if answer.Nodes, err = x.All(ctx); err != nil || len(sets) != 1 {
		return err
	}
	r.say("looking for edges whose removal helps")
	answer.Stop.Edges, err = x.Edges(ctx, sets[0], func(g *graph.Graph) (*exposure.Reach, error) {
		w, err := graph.NewTransition(g, a.Spec.Weights)
		if err != nil {
			return nil, nil // the graph has no such weights
		}
		return reachOf(w.Sparse(), int(a.Protocol.Turns()))
	})
	return err
}
