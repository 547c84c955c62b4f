package papers

import (
	_ "embed"
	"fmt"

	"github.com/hearsay-dp/hearsay/internal/family/gossipfamily"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/spec"
)

//go:embed specs/two-gaussians.yaml
var twoGaussians []byte

// walkAndGossip reproduces 004 Figure 2: random walk SGD and asynchronous
// gossip SGD. In a gossip step one edge is active, and both ends take a
// gradient step and average. Both run at a low and a high variance of the
// data.
func walkAndGossip() Study {
	s := Study{
		ID: "004-figure-2", Title: "Random walk SGD and asynchronous gossip SGD by number of steps",
		Source: "004 Figure 2", base: twoGaussians, judge: walkAndGossipChecks, small: whole,
	}
	for _, variance := range []float64{1, 10} {
		s.Variants = append(s.Variants,
			Variant{Name: fmt.Sprintf("walk, v=%g", variance), change: ofVariance(variance, nil)},
			Variant{Name: fmt.Sprintf("gossip, v=%g", variance), change: ofVariance(variance, wakingEdges)},
		)
	}
	return s
}

func ofVariance(variance float64, change func(*spec.Spec)) func(*spec.Spec) {
	return func(s *spec.Spec) {
		s.Data.Variance = &variance
		if change != nil {
			change(s)
		}
	}
}

func wakingEdges(s *spec.Spec) {
	a := &s.Algorithm
	a.Kind, a.Own = "gossip-sgd", &gossipfamily.Keys{TurnsPerRound: 1, Wake: "edges", Acceleration: "none", Batch: 1}
	s.Weights, s.Privacy.Accountant = "hamilton", "local"
}

// walkAndGossipChecks checks that in both regimes the walk is ahead at every
// scored step after the first hundredth.
func walkAndGossipChecks(outcomes []Outcome) (checks []Check) {
	for i := 0; i+1 < len(outcomes); i += 2 {
		walk, gossip := outcomes[i].Result, outcomes[i+1].Result
		ahead, scored := leads(walk, gossip)
		checks = append(checks, Check{outcomes[i].Variant.Name + " outperforms asynchronous gossip", AsPublished, ahead == scored,
			fmt.Sprintf("a lower objective at %d of %d steps scored; at the end %.4f against %.4f", ahead, scored,
				float64(walk.Final.TrainLoss+walk.Final.Penalty), float64(gossip.Final.TrainLoss+gossip.Final.Penalty))})
	}
	return checks
}

func leads(a, b *report.Result) (ahead, scored int) {
	for i, p := range a.Curve {
		if p.Step < a.Steps/100 || i >= len(b.Curve) {
			continue
		}
		scored++
		if penalised(p) < penalised(b.Curve[i]) {
			ahead++
		}
	}
	return ahead, scored
}
