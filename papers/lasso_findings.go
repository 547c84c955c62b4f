package papers

import (
	"context"
	"fmt"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/sparse"
)

// run compares the methods at every epsilon, by published and by sound accounts. It also reports the
// effects of no noise and of clipping.
func (l lassoSetting) run(ctx context.Context, say func(string)) (*Findings, error) {
	f := &Findings{Tables: []Table{{Name: "objectives", Header: []string{"epsilon", "accounts", "method", "end", "least_on_the_way",
		"sigma", "rounds", "size", "clip"}}}}
	zeros, optimum, err := l.quiet(ctx, f, say)
	if err != nil {
		return nil, err
	}
	methods := l.methods()
	panels, known := map[Basis]*[2]Panel{}, map[string]float64{}
	for _, basis := range []Basis{AsPublished, WhatIsTrue} {
		panels[basis] = &[2]Panel{
			{Title: "Objective at the end, " + string(basis), X: "log10 epsilon", Y: "objective, held out"},
			{Title: "The least on the way, " + string(basis), X: "log10 epsilon", Y: "objective, held out"},
		}
		of := make([][]lassoRun, len(methods))
		for i, m := range methods {
			end, least := Line{Name: m.name, Dashed: i < 2}, Line{Name: m.name, Dashed: i < 2}
			for _, eps := range l.epsilons {
				r, err := l.best(ctx, m, basis, eps, known)
				if err != nil {
					return nil, fmt.Errorf("%s at epsilon %g, %s: %w", m.name, eps, basis, err)
				}
				of[i] = append(of[i], r)
				say(fmt.Sprintf("epsilon %g, %s, %s: %.4g at the end, %.4g on the way (%d rounds, size %g, clip %g, sigma %.4g)",
					eps, basis, m.name, r.end, r.least, r.rounds, r.size, r.clip, r.sigma))
				f.Tables[0].Rows = append(f.Tables[0].Rows, []string{fmt.Sprint(eps), string(basis), m.name, decimal(r.end),
					decimal(r.least), decimal(r.sigma),
					fmt.Sprint(r.rounds), fmt.Sprint(r.size), fmt.Sprint(r.clip)})
				end.X, end.Y = append(end.X, math.Log10(eps)), append(end.Y, r.end)
				least.X, least.Y = append(least.X, math.Log10(eps)), append(least.Y, r.least)
			}
			panels[basis][0].Lines, panels[basis][1].Lines = append(panels[basis][0].Lines, end), append(panels[basis][1].Lines, least)
		}
		f.judge(&of, func() []Check { return append(l.ordered(basis, of), l.learnt(basis, of, zeros)) })
	}
	f.Charts = []Chart{{"figure", append(panels[AsPublished][:], panels[WhatIsTrue][:]...)}}
	say(fmt.Sprintf("without noise: %.4g", optimum))
	return f, nil
}

// ordered checks the paper's claim that ADMM ends below DP proximal SGD at small epsilon, with full
// participation and with a tenth. The reference code takes the least objective of the trajectory.
func (l lassoSetting) ordered(basis Basis, of [][]lassoRun) (checks []Check) {
	for _, pair := range []struct {
		what      string
		sgd, admm int
	}{{"centralised ADMM is below DP proximal SGD on all rows", 0, 2}, {"federated ADMM is below DP proximal SGD on a tenth", 1, 3}} {
		for _, when := range []string{"at the end", "at the least on the way"} {
			small, large, measured := order{}, order{}, ""
			for i, eps := range l.epsilons {
				sgd, admm := of[pair.sgd][i], of[pair.admm][i]
				a, b := admm.end, sgd.end
				if when != "at the end" {
					a, b = admm.least, sgd.least
				}
				measured += fmt.Sprintf("%.4g against %.4g at %g; ", a, b, eps)
				if eps > 0.1 {
					large.add(a, b)
				} else {
					small.add(a, b)
				}
			}
			measured = measured[:len(measured)-2]
			checks = append(checks, Check{fmt.Sprintf("%s %s, up to epsilon 0.1", pair.what, when), basis, small.below(), measured})
			if basis == WhatIsTrue { // no claim about these is published
				checks = append(checks, Check{fmt.Sprintf("%s %s, above epsilon 0.1", pair.what, when), basis, large.below(), measured})
			}
		}
	}
	return checks
}

// An order counts comparisons of objectives. If neither method learns anything, the objectives count
// as equal.
type order struct{ pairs, ahead, clearly int }

func (o *order) add(a, b float64) {
	o.pairs, o.ahead, o.clearly = o.pairs+1, o.ahead+one(a <= b*(1+1e-3)), o.clearly+one(a < b*(1-1e-3))
}

// below reports whether the first is never above the second, and not always equal to it.
func (o *order) below() bool { return o.ahead == o.pairs && o.clearly > 0 }

// learnt checks whether any method is better than a model of zeros at the epsilons of the comparison.
func (l lassoSetting) learnt(basis Basis, of [][]lassoRun, zeros float64) Check {
	least := math.Inf(1)
	for _, runs := range of {
		for i, eps := range l.epsilons {
			if eps <= 0.1 {
				least = min(least, runs[i].end)
			}
		}
	}
	return Check{"up to epsilon 0.1 some method ends 5 % below a model of zeros", basis, least < 0.95*zeros,
		fmt.Sprintf("%.4g at best, zeros %.4g", least, zeros)}
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// quiet computes the methods without noise and clip, beside coordinate descent, and the effect of
// clips. zeros and best are the held-out objectives of a model of zeros and of the solution.
func (l lassoSetting) quiet(ctx context.Context, f *Findings, say func(string)) (zeros, best float64, err error) {
	const free = 100 // a clip that never binds
	table := Table{Name: "without_noise", Header: []string{"what", "objective_on_rows", "objective_held_out", "distance_from_lasso"}}
	var solution []float64
	add := func(what, algorithm string, solve bool) error {
		p, err := l.open(ctx, algorithm, "", 0)
		if err != nil {
			return err
		}
		_, rows := split(p.Test)
		if solution == nil {
			var off float64
			if solution, off = model.Lasso(p.Train, false, l.weight, 0, 1e-12, 1_000_000); off > 1e-10 {
				return fmt.Errorf("coordinate descent ends %g from the optimum", off)
			}
			best = objectiveOn(p, solution, rows)
			zero := make([]float64, len(solution))
			zeros = objectiveOn(p, zero, rows)
			table.Rows = append(table.Rows, []string{"a model of zeros", decimal(objectiveOn(p, zero, p.Train)), decimal(zeros),
				decimal(sparse.Norm(solution))})
			table.Rows = append(table.Rows, []string{"coordinate descent", decimal(objectiveOn(p, solution, p.Train)), decimal(best), "0"})
		}
		theta, err := p.Algorithm.Trial(ctx, 1, func(int, []float64, float64) {})
		if err != nil {
			return err
		}
		far := 0.0
		for j, x := range theta {
			far = math.Hypot(far, x-solution[j])
		}
		say(fmt.Sprintf("without noise, %s: %.3g from the solution", what, far))
		table.Rows = append(table.Rows, []string{what, decimal(objectiveOn(p, theta, p.Train)), decimal(objectiveOn(p, theta, rows)), decimal(far)})
		if solve {
			f.judge(&far, func() []Check {
				return []Check{{"without noise " + what + " ends at the solution of coordinate descent", AsRecorded, far < 1e-6, fmt.Sprintf("%.2g away", far)}}
			})
		}
		return nil
	}
	n, long := l.nodes, l.patience
	for _, one := range []struct {
		what, algorithm string
		solve           bool
	}{
		{"proximal gradient descent",
			fmt.Sprintf("kind: fixed-point, instance: proximal-sgd, draw: %d, fill: false, steps: %d, step_size: %d, clip: %d", n, long,
				l.features/2, free), true},
		{"proximal coordinate descent by Algorithm 8.1",
			fmt.Sprintf("kind: fixed-point, instance: coordinate-descent, steps: %d, step_size: %d, clip: %d", long*l.features/4,
				l.features/2, free), true},
		{"central ADMM", fmt.Sprintf("kind: admm-central, fill: false, steps: %d, gamma: %d, clip: %d", 2*long, l.features/4, free), true},
		{"federated ADMM",
			fmt.Sprintf("kind: admm-federated, sampled: %d, fill: false, steps: %d, gamma: %d, clip: %d, contributions: %d", n/4,
				6*long, l.features/4, free, 6*long), true},
		{"ADMM by a walk", fmt.Sprintf("kind: admm-walk, fill: false, steps: %d, gamma: %d, clip: %d", 2*long*n, l.features/4, free), true},
	} {
		if err := add(one.what, one.algorithm, one.solve); err != nil {
			return 0, 0, err
		}
	}
	for _, clip := range []float64{0.03, 0.1, 0.3, 1} {
		algorithm := fmt.Sprintf("kind: fixed-point, instance: proximal-sgd, draw: %d, fill: false, steps: %d, step_size: %d, clip: %g",
			n, long, l.features/2, clip)
		if err := add(fmt.Sprintf("what clip %g minimises", clip), algorithm, false); err != nil {
			return 0, 0, err
		}
	}
	f.Tables = append(f.Tables, table)
	return zeros, best, nil
}
