package papers

import (
	"context"
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/family/weighted"
	"github.com/hearsay-dp/hearsay/privacy/gamma"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/spec"
)

// leastConstant and mostConstant bound the constants. Lemma 3 in print gives no range; this is ours.
const leastConstant, mostConstant = 1.0, 2.0

// gammaTradeoff reproduces 004 Figure 1: the bound of Lemma 3 on the Gamma mechanism, beside its exact delta.
func gammaTradeoff() Study {
	compute := func(context.Context, string, func(string)) (*Findings, error) { return gammaFindings(), nil }
	return Study{
		ID: "004-figure-1", Title: "Privacy of the Gamma mechanism: delta by epsilon, and the noise that it takes",
		Source: "004 Figure 1", compute: compute, quick: compute,
	}
}

// A tradeoff holds delta by epsilon (0 to 6 in halves) for each noise level, as Lemma 3 prints it and exactly. It also
// holds the noise for epsilons from 2 to 6, for each delta, if there is such noise.
type tradeoff struct{ printed, exact, noise [][]float64 }

func gammaFindings() *Findings {
	delta := Panel{Title: "delta by epsilon", X: "epsilon", Y: "delta"}
	noise := Panel{Title: "theta by epsilon", X: "epsilon", Y: "theta"}
	table := Table{Name: "delta", Header: []string{"theta", "epsilon", "delta_lemma_3", "delta_exact"}}
	var all tradeoff
	for _, theta := range []float64{0.05, 0.1, 0.5, 1} {
		g := gamma.Mechanism{Least: leastConstant, Most: mostConstant, Theta: theta}
		line := Line{Name: fmt.Sprintf("Lemma 3, theta %g", theta)}
		var exactly []float64
		for eps := 0.0; eps <= 6; eps += 0.5 {
			tail, exact := g.TailDelta(eps), g.Delta(eps)
			line.X, line.Y, exactly = append(line.X, eps), append(line.Y, tail), append(exactly, exact)
			table.Rows = append(table.Rows, []string{fmt.Sprint(theta), fmt.Sprint(eps), fmt.Sprintf("%.6g", tail), fmt.Sprintf("%.6g", exact)})
		}
		all.printed, all.exact = append(all.printed, slices.Clone(line.Y)), append(all.exact, exactly)
		delta.Lines = append(delta.Lines, line)
	}
	for _, d := range []float64{0.06, 0.08, 0.1} {
		line := Line{Name: fmt.Sprintf("delta %g", d)}
		for eps := 2.0; eps <= 6; eps += 0.5 {
			g, _, err := gamma.SmallestTheta(leastConstant, mostConstant, eps, d)
			if err != nil {
				continue
			}
			line.X, line.Y = append(line.X, eps), append(line.Y, g.Theta)
		}
		all.noise = append(all.noise, slices.Clone(line.Y))
		noise.Lines = append(noise.Lines, line)
	}
	f := &Findings{Charts: []Chart{{"figure", []Panel{delta, noise}}}, Tables: []Table{table}}
	f.judge(&all, func() []Check { return all.checks() })
	return f
}

func (t tradeoff) checks() []Check {
	const rounding, three = 1e-12, 6 // the index of epsilon 3
	some, least := len(t.printed) > 1, len(t.noise) > 0
	falls, noisier, above, less := some, some, some, least
	apart := false // of any two, not all values that should be smaller are equal
	for k, printed := range t.printed {
		for i, tail := range printed {
			falls = falls && (i == 0 || tail <= printed[i-1]+rounding)
			above = above && tail >= t.exact[k][i]-rounding
			noisier = noisier && (k == 0 || i < three || tail <= t.printed[k-1][i]+rounding)
			apart = apart || k > 0 && i >= three && tail < t.printed[k-1][i]-rounding
		}
		falls = falls && printed[len(printed)-1] < printed[0]
	}
	for _, thetas := range t.noise {
		less = less && falling(thetas)
	}
	return []Check{
		{"delta falls with epsilon", AsPublished, falls, "at theta 0.05 to 1, constants in [1, 2]"},
		{"a larger privacy loss takes less noise", AsPublished, less, "theta at delta 0.06, 0.08 and 0.1, by the exact delta"},
		{"more noise has the smaller delta, from epsilon 3 on", WhatIsTrue, noisier && apart, "by the tail bound of Lemma 3"},
		{"the tail bound of Lemma 3 is above the exact delta", WhatIsTrue, above, "everywhere"},
	}
}

// rising reports whether two or more values are each above the one before.
func rising(x []float64) bool {
	for i := 1; i < len(x); i++ {
		if !(x[i] > x[i-1]) {
			return false
		}
	}
	return len(x) > 1
}

// falling reports whether two or more values never rise, and end below where they begin.
func falling(x []float64) bool {
	for i := 1; i < len(x); i++ {
		if !(x[i] <= x[i-1]) {
			return false
		}
	}
	return len(x) > 1 && x[len(x)-1] < x[0]
}

// weighing makes a variant a weighted walk.
func weighing(constants weighted.Constants) func(*spec.Spec) {
	return func(s *spec.Spec) {
		s.Algorithm.Kind, s.Algorithm.Own = "weighted-walk", &weighted.Keys{Constants: constants}
	}
}

// steep sets steps k^-q on losses that are multiplied by the number of nodes, as in 004's equation 13, in a ball.
func steep(s *spec.Spec) {
	s.Algorithm.StepSize, s.Algorithm.Radius, s.Model.L2 = spec.StepSize{Base: 100, Power: 0.75}, 5, 0.01
	s.Trials = 30
}

// weightsOrNot reproduces 004 Figures 2a and 2b: walks weighted by constants and unweighted walks, at a high and a low
// variance of the data.
func weightsOrNot() Study {
	s := Study{
		ID: "004-figure-2-weights", Title: "Walks weighted by gradient-Lipschitz constants, and uniform ones",
		Source: "004 Figures 2a and 2b", base: twoGaussians, judge: weightsChecks, small: whole,
	}
	for _, variance := range []float64{10, 1} {
		s.Variants = append(s.Variants,
			Variant{Name: fmt.Sprintf("uniform, v=%g", variance), change: both(steep, ofVariance(variance, nil))},
			Variant{Name: fmt.Sprintf("weighted, v=%g", variance), change: both(both(steep, ofVariance(variance, nil)),
				weighing(weighted.Constants{Mechanism: "none"}))},
		)
	}
	return s
}

// early returns the first part of a run: its points over part.
func early(r *report.Result, part int) []report.Point {
	return r.Curve[1 : 1+len(r.Curve)/part]
}

// weightsChecks checks that at a low variance the uniform walk is ahead, as in print, and that at a high one the
// weighted walk is ahead at first, while steps are large.
func weightsChecks(outcomes []Outcome) []Check {
	mean := func(points []report.Point) (sum float64) {
		for _, p := range points {
			sum += float64(penalised(p)) / float64(len(points))
		}
		return sum
	}
	high, low := [2]*report.Result{outcomes[0].Result, outcomes[1].Result}, [2]*report.Result{outcomes[2].Result, outcomes[3].Result}
	says := func(u, w []report.Point) string {
		return fmt.Sprintf("mean objective %.4f weighted, %.4f uniform", mean(w), mean(u))
	}
	u, w := early(high[0], 10), early(high[1], 10)
	last, uniform := high[1].Curve[len(high[1].Curve)/2:], high[0].Curve[len(high[0].Curve)/2:]
	return []Check{
		{"v=10: the weighted walk is ahead in the first tenth", AsPublished, mean(w) < mean(u), says(u, w)},
		{"v=10: the weighted walk is ahead in the second half", WhatIsTrue, mean(last) < mean(uniform), says(uniform, last)},
		{"v=1: the uniform walk is ahead", AsPublished, mean(low[0].Curve[1:]) < mean(low[1].Curve[1:]), says(low[0].Curve[1:], low[1].Curve[1:])},
	}
}

// noisyWeights reproduces 004 Figure 3: constants with Gamma noise at epsilon 3 and delta 0.03, and Laplace noise of
// the same variance.
func noisyWeights() Study {
	const least, most = 10.0, 20.0 // beyond a ratio of about 2 no Gamma noise has epsilon 3 at delta 0.03
	g, _, err := gamma.SmallestTheta(least, most, 3, 0.03)
	if err != nil {
		panic(err) // of constants
	}
	small := func(s *spec.Spec) {
		steep(s)
		s.Graph = "er:n=20,p=0.3,seed=1,connected"
	}
	wide := both(small, ofVariance(10, nil))
	variant := func(name string, c weighted.Constants) Variant {
		return Variant{Name: name, change: both(wide, weighing(c))}
	}
	return Study{
		ID: "004-figure-3", Title: "Constants shown with Gamma noise and with Laplace noise of the same variance",
		Source: "004 Figure 3", base: twoGaussians, judge: noisyChecks, small: whole,
		Variants: []Variant{
			{Name: "uniform", change: wide},
			variant("gamma", weighted.Constants{Mechanism: "gamma", Least: least, Most: most, Scale: g.Theta}),
			variant("laplace", weighted.Constants{Mechanism: "laplace", Least: least, Most: most, Scale: g.AtEqualVariance().Scale}),
		},
	}
}

func noisyChecks(outcomes []Outcome) []Check {
	end := func(i int) float64 {
		points := outcomes[i].Result.Curve
		return float64(penalised(points[len(points)-1]))
	}
	measured := fmt.Sprintf("at the end %.4f uniform, %.4f Gamma, %.4f Laplace", end(0), end(1), end(2))
	return []Check{
		{"Gamma noise is no worse than Laplace noise", WhatIsTrue, end(1) <= end(2), measured},
		{"all three come within a factor of 3 of each other", AsRecorded, max(end(0), end(1), end(2)) < 3*min(end(0), end(1), end(2)), measured},
	}
}
