package papers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// The four graphs of 000 Table 1. The random geometric one is redrawn until it is
// connected.
const (
	completeGraph  = "complete:2048"
	hypercubeGraph = "hypercube:11"
	geometricGraph = "geometric:n=2048,r=0.07,seed=1,connected"
	gridGraph      = "grid:45x45"
	randomGraph    = "er:n=2048,p=0.0045,seed=1,connected"
)

// table1 reproduces the random-walk column of 000 Table 1 (002 Table 7.1).
func table1() Study {
	s := Study{
		ID: "000-table-1", Title: "Accuracy of the private random walk on Houses at mean pairwise losses 0.5, 1 and 2",
		Source: "000 Table 1, random-walk column; 002 Table 7.1", Data: "houses/houses.csv", judge: table1Checks, small: little,
	}
	for _, row := range []struct {
		graph, expression string
		paper, spread     [3]float64 // at 0.5, 1, 2
	}{
		{"complete", completeGraph, [3]float64{0.841, 0.900, 0.940}, [3]float64{0.07, 0.04, 0.02}},
		{"exponential", hypercubeGraph, [3]float64{0.818, 0.883, 0.937}, [3]float64{0.09, 0.05, 0.01}},
		{"geometric", geometricGraph, [3]float64{0.795, 0.873, 0.933}, [3]float64{0.06, 0.05, 0.02}},
		{"grid", gridGraph, [3]float64{0.803, 0.848, 0.919}, [3]float64{0.10, 0.07, 0.02}},
	} {
		for i, eps := range []float64{0.5, 1, 2} {
			s.Variants = append(s.Variants, Variant{
				Name: fmt.Sprintf("%s, mean loss %g", row.graph, eps), Paper: row.paper[i], Spread: row.spread[i],
				change: onGraph(row.expression, eps),
			})
		}
	}
	return s
}

// figure2 reproduces 000 Figure 2 (002 Figure 7.3b) at a mean loss eps: the objective
// over time, with the baselines under the papers' calibrations and under tight ones.
func figure2(eps float64) Study {
	return Study{
		ID: fmt.Sprintf("000-figure-2-eps-%g", eps), Title: fmt.Sprintf("Objective over time on Houses at loss %g", eps),
		Source: "000 Figure 2; 002 Figure 7.3b", Data: "houses/houses.csv", judge: figure2Checks, small: little,
		differs: map[string]string{curatorFirst: whyNotFirst(eps)},
		Variants: []Variant{
			{Name: "without noise", change: without},
			{Name: "central, tight", change: baseline("central", "tight", eps)},
			{Name: "central, as published", change: baseline("central", "published", eps)},
			{Name: "walk, complete", change: onGraph(completeGraph, eps)},
			{Name: "walk, hypercube", change: onGraph(hypercubeGraph, eps)},
			{Name: "walk, geometric", change: onGraph(geometricGraph, eps)},
			{Name: "local, tight", change: baseline("local", "local", eps)},
			{Name: "local, as published", change: baseline("local", "published", eps)},
		},
	}
}

// whyNotFirst returns the reason why a curator with the printed calibration is not ahead
// of walks.
func whyNotFirst(eps float64) string {
	if eps < 5 {
		return "by the calibration that is printed a curator adds many times the noise that is enough, no less than the walks do"
	}
	return "at this loss walks end as near the objective of a run without noise as a curator does, " +
		"who adds twice the noise that is enough by the calibration that is printed"
}

// accountants is our own study: the same run at the same claim, mean epsilon 1 at delta
// 1e-6, under each accountant.
func accountants() Study {
	return Study{
		ID: "houses-accountants", Title: "Accuracy on Houses at mean loss 1 under each accountant, complete graph",
		Source: "ours; the published accountant is 000 Theorem 3", Data: "houses/houses.csv", judge: accountantsChecks, small: little,
		Variants: []Variant{
			{Name: "without noise", change: without},
			{Name: "path", change: pricedBy("path")},
			{Name: "published", change: pricedBy("published")},
			{Name: "local", change: pricedBy("local")},
		},
	}
}

// table1Checks checks that larger losses increase the accuracy on every graph, and that
// every cell agrees with the paper.
func table1Checks(outcomes []Outcome) (checks []Check) {
	near, cells := 0, 0
	for i := 0; i+2 < len(outcomes); i += 3 {
		graph, _, _ := strings.Cut(outcomes[i].Variant.Name, ",")
		checks = append(checks, rises(graph, outcomes[i:i+3]))
	}
	for _, o := range outcomes {
		if o.Variant.Paper == 0 {
			continue
		}
		cells++
		if mean, _ := o.Accuracy(); math.Abs(mean-o.Variant.Paper) <= 2*o.Variant.Spread {
			near++
		}
	}
	if cells > 0 {
		checks = append(checks, Check{"accuracies are those printed, within two of their standard deviations", AsPublished, near == cells,
			fmt.Sprintf("%d of %d cells", near, cells)})
	}
	return checks
}

const curatorFirst = "a curator is ahead of walks"

// figure2Checks checks the order of a trusted curator, walks, and public releases, by the
// papers' calibration and by tight ones.
func figure2Checks(outcomes []Outcome) []Check {
	at, sigma := map[string]float64{}, map[string]float64{}
	for _, o := range outcomes {
		curve := o.Result.Curve
		at[o.Variant.Name], sigma[o.Variant.Name] = float64(penalised(curve[len(curve)-1])), o.Result.Privacy.Sigma
	}
	printed, enough, walking := sigma["central, as published"], sigma["central, tight"], sigma["walk, complete"]
	walks := []float64{at["walk, complete"], at["walk, hypercube"], at["walk, geometric"]}
	says := func(name string) string {
		return fmt.Sprintf("objectives at the end: %s %.4f, walks %.4f", name, at[name], walks)
	}
	return []Check{
		{"walks are ahead of local", AsPublished, slices.Max(walks) < at["local, as published"], says("local, as published")},
		{curatorFirst, AsPublished, at["central, as published"] < slices.Min(walks), says("central, as published")},
		{"walks are ahead of local, tightly calibrated", WhatIsTrue, slices.Max(walks) < at["local, tight"], says("local, tight")},
		{"a curator is ahead of walks, tightly calibrated", WhatIsTrue, at["central, tight"] < slices.Min(walks), says("central, tight")},
		{"the calibration that is printed gives a curator twice the noise that is enough, or more", AsRecorded,
			enough > 0 && printed >= 2*enough, fmt.Sprintf("multipliers %.3g, tight %.3g, walks %.3g", printed, enough, walking)},
	}
}

// accountantsChecks checks that a tighter accountant needs less noise for the same claim
// and gives a better model.
func accountantsChecks(outcomes []Outcome) []Check {
	var means, sigmas []float64
	for _, o := range outcomes[1:] {
		mean, _ := o.Accuracy()
		means, sigmas = append(means, mean), append(sigmas, o.Result.Privacy.Sigma)
	}
	return []Check{
		{"the path accountant asks for less noise than the published one, which asks for less than the local one", AsRecorded,
			rising(sigmas), fmt.Sprintf("sigma %.4g by path, published, local", sigmas)},
		{"less noise is a better model", AsRecorded, means[0] > means[1] && means[1] > means[2], fmt.Sprintf("accuracies %.3f", means)},
	}
}
