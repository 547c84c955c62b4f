package papers

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/internal/family/gossipfamily"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/spec"
)

// Muffliato-GD as in 000 Table 1: ten gradient rounds, the step size of 002
// Table C.1, and the averaging steps of 002 Theorem 6.2 for values and noise of
// equal size. On the complete graph one step averages.
const (
	gradientRounds = 10
	gradientStep   = 0.7
)

var averagingSteps = map[string]int{completeGraph: 1, hypercubeGraph: 19, geometricGraph: 111, gridGraph: 243}

// onGossip sets Muffliato-GD on a graph, calibrated to a mean loss by an
// accountant.
func onGossip(expression, accountant string, eps float64) func(*spec.Spec) {
	return func(s *spec.Spec) {
		a := &s.Algorithm
		a.Kind, a.Steps, a.StepSize = "gossip-gd", gradientRounds, spec.StepSize{Base: gradientStep}
		a.Own = &gossipfamily.Keys{TurnsPerRound: averagingSteps[expression], Wake: "all", Acceleration: "chebyshev"}
		a.Contributions, a.Average = 0, "none"
		s.Graph, s.Report.Every = expression, 1
		s.Privacy.Accountant, s.Privacy.Conversion = accountant, "mironov"
		s.Privacy.Calibrate = &spec.Calibrate{Mean: eps}
	}
}

// table1Gossip reproduces the gossip column of 000 Table 1, at the losses that
// 002 Theorem 6.9 claims and at proved ones.
func table1Gossip() Study {
	s := Study{
		ID: "000-table-1-gossip", Title: "Accuracy of Muffliato-GD on Houses at mean pairwise losses 0.5, 1 and 2",
		Source: "000 Table 1, gossip column", Data: "houses/houses.csv", judge: table1GossipChecks, small: little,
	}
	for _, row := range []struct {
		graph, expression string
		paper, spread     [3]float64 // at 0.5, 1, 2
	}{
		{"complete", completeGraph, [3]float64{0.65, 0.70, 0.83}, [3]float64{0.10, 0.10, 0.06}},
		{"exponential", hypercubeGraph, [3]float64{0.70, 0.77, 0.89}, [3]float64{0.10, 0.05, 0.04}},
		{"geometric", geometricGraph, [3]float64{0.60, 0.66, 0.67}, [3]float64{0.07, 0.10, 0.04}},
		{"grid", gridGraph, [3]float64{0.60, 0.73, 0.72}, [3]float64{0.07, 0.10, 0.10}},
	} {
		heavy := row.expression == geometricGraph || row.expression == gridGraph // many rounds, and no symmetry for pricing
		for i, eps := range []float64{0.5, 1, 2} {
			s.Variants = append(s.Variants,
				Variant{Name: fmt.Sprintf("%s, mean loss %g", row.graph, eps), Paper: row.paper[i], Spread: row.spread[i],
					heavy: heavy, change: onGossip(row.expression, "published", eps)},
				Variant{Name: fmt.Sprintf("%s, mean loss %g, local", row.graph, eps), heavy: heavy, change: onGossip(row.expression, "local", eps)},
			)
		}
	}
	return s
}

// table1GossipChecks compares gossip with the walk's accuracies in the paper,
// so that it does not need the results of 000-table-1.
func table1GossipChecks(outcomes []Outcome) (checks []Check) {
	walk := map[string]float64{}
	for _, v := range table1().Variants {
		walk[v.Name] = v.Paper
	}
	lower, all := 0, 0
	for _, o := range outcomes {
		mean, std := o.Accuracy()
		if paper, ok := walk[o.Variant.Name]; ok {
			all++
			if mean-std/math.Sqrt(float64(len(o.Result.Trials))) < paper {
				lower++
			}
		}
	}
	return []Check{{"the walk outperforms gossip in all cases", AsPublished, lower == all && all > 0,
		fmt.Sprintf("gossip is below the paper's walk in %d of %d cells", lower, all)}}
}
