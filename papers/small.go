package papers

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/internal/family/gossipfamily"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/spec"
)

// both makes one change, then the other.
func both(first, second func(*spec.Spec)) func(*spec.Spec) {
	return func(s *spec.Spec) { first(s); second(s) }
}

// smaller maps the papers' graphs of 2048 nodes to small versions.
var smaller = map[string]string{
	completeGraph:  "complete:64",
	hypercubeGraph: "hypercube:6",
	geometricGraph: "geometric:n=64,r=0.3,seed=1,connected",
	gridGraph:      "grid:8x8",
	randomGraph:    "er:n=64,p=0.1,seed=1,connected",
}

// shrunken returns small versions of named graphs.
func shrunken(graphs [][2]string) [][2]string {
	var small [][2]string
	for _, g := range graphs {
		small = append(small, [2]string{g[0], smaller[g[1]]})
	}
	return small
}

// little shrinks a run to a 32nd of the nodes. A walk's steps shrink alike, so that a node
// contributes as often.
func little(s *spec.Spec) {
	if g, ok := smaller[s.Graph]; ok {
		s.Graph = g
	}
	if s.Nodes > 0 {
		s.Nodes /= 32
	}
	s.Trials = 4
	if keys, ok := s.Algorithm.Own.(*gossipfamily.Keys); ok {
		keys.TurnsPerRound = int(math.Ceil(float64(keys.TurnsPerRound) / 16))
		s.Algorithm.Steps = 5
		return
	}
	s.Algorithm.Steps /= 32
	s.Report.Every = s.Algorithm.Steps / 4
}

// rises checks that the accuracy of outcomes on one graph rises with the allowed loss.
func rises(graph string, outcomes []Outcome) Check {
	var means []float64
	for _, o := range outcomes {
		mean, _ := o.Accuracy()
		means = append(means, mean)
	}
	return Check{graph + ": accuracy rises with the loss that is allowed", AsPublished, rising(means), fmt.Sprintf("accuracies %.3f", means)}
}

// whole leaves a study unchanged that takes only seconds.
func whole(*spec.Spec) {}
