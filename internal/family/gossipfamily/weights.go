package gossipfamily

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/algo/gossip"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sparse"
)

// accelerate sets the factor of 002 Algorithm 6.1, which needs the spectral gap.
func (a *Algorithm) accelerate() error {
	if a.Transition.Own() {
		if err := a.Transition.CheckSymmetric("algorithm.acceleration: chebyshev", 0, "use acceleration: none, or make W_uv and W_vu the same digits"); err != nil {
			return err
		}
	}
	switch {
	case !a.Transition.Sparse().Symmetric(0):
		return fault.New(fmt.Sprintf("algorithm.acceleration: chebyshev needs symmetric weights, but %s of %s are not", a.Spec.Weights, a.Graph.Name()),
			"use weights: hamilton on an undirected graph, or acceleration: none")
	case !a.Gap.Converged || a.Gap.Value <= 0:
		return fault.New(fmt.Sprintf("algorithm.acceleration: chebyshev needs the spectral gap, and that of %s with weights %s is not positive or not known", a.Graph.Name(), a.Spec.Weights),
			"use weights: hamilton, or acceleration: none")
	}
	a.Protocol.Gamma = gossip.Acceleration(a.Gap.Value)
	return nil
}

// weights returns the matrices of the spec, the same in all trials.
func (a *Algorithm) weights() (graph.Sequence, error) {
	k, w := a.keys, a.Transition.Sparse()
	if a.Graph.Directed() {
		return nil, fault.New(fmt.Sprintf("graph: in gossip neighbours hear each other, but %s is directed", a.Graph.Name()),
			"use an undirected graph, or kind: walk; directed: false makes edges of the arrows of a file")
	}
	if a.Transition.Own() {
		if err := a.checkOwn(); err != nil {
			return nil, err
		}
	}
	if !doublyStochastic(w) {
		return nil, fault.New(fmt.Sprintf("weights: the rows of %s on %s sum to 1, but the columns do not, so gossip would not conserve the mean",
			a.Spec.Weights, a.Graph.Name()),
			"use weights: hamilton or max-degree on an undirected graph")
	}
	sequence := graph.Fixed(w)
	switch {
	case k.Wake == "edges":
		return graph.NewActivations(w, a.Spec.Seed)
	case k.Redraw > 0:
		every := k.Redraw
		if !a.averaging() {
			every *= k.TurnsPerRound
		}
		redrawn, err := gen.Redrawn(a.Spec.Graph, a.Spec.Weights, every, a.Spec.Seed)
		if err != nil {
			return nil, fault.Wrap(err, "algorithm.redraw: "+a.Spec.Graph+" cannot be drawn anew", "use a random generator such as er:n=100,p=0.1")
		}
		sequence = redrawn
	}
	if isSequence(a.Spec) {
		var err error
		if sequence, err = gen.Sequence(a.Spec.Graph, a.Spec.Weights, a.Spec.Seed); err != nil {
			return nil, err
		}
	}
	if k.Wake == "matchings" {
		sequence = graph.NewMatchingsOf(sequence, a.Spec.Seed)
	}
	switch {
	case k.misses():
		sequence = graph.Missing(sequence, k.Dropout, k.Absent, k.TurnsPerRound, a.Spec.Seed)
	case k.Dropout > 0:
		sequence = graph.Dropout(sequence, k.Dropout, a.Spec.Seed)
	}
	return sequence, nil
}

// checkOwn refuses a given matrix that gossip cannot use.
func (a *Algorithm) checkOwn() error {
	k, t := a.keys, a.Transition
	switch {
	case k.Wake == "matchings" || k.Redraw > 0:
		return fault.New(fmt.Sprintf("weights: %s says who averages with whom, and so do wake: matchings and redraw", t.Rule()), "use wake: all without redraw, or weights: hamilton")
	case isSequence(a.Spec):
		return fault.New(fmt.Sprintf("weights: %s is one matrix, and the graph is a sequence", t.Rule()), "use weights: hamilton, or one graph")
	case k.Dropout > 0:
		return fault.New(fmt.Sprintf("weights: %s says nothing of turns in which nodes are away (algorithm.dropout)", t.Rule()), "use dropout: 0, or weights: hamilton")
	}
	if err := t.CheckDoublyStochastic("weights: gossip, which keeps the mean,", "scale rows and columns to 1, or use kind: walk"); err != nil || k.Wake != "edges" {
		return err
	}
	return t.CheckSymmetric("algorithm.wake: edges", graph.Tolerance, "use wake: all")
}

// doublyStochastic reports whether all columns sum to 1, as rows do.
func doublyStochastic(w *sparse.Matrix) bool {
	sums := make([]float64, w.N)
	for k, v := range w.Columns {
		sums[v] += w.Values[k]
	}
	for _, s := range sums {
		if math.Abs(s-1) > 1e-9 {
			return false
		}
	}
	return true
}
