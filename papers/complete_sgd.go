package papers

import (
	"context"
	"fmt"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/family/complete"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/spec"
)

// figure72 reproduces 002 Figure 7.2: central, network and local DP-SGD on Houses at
// epsilon 10 and 1, with the step size tuned for each. It uses the papers' calibrations and
// sound ones.
func figure72() Study {
	s := Study{ID: "002-figure-7.2", Title: "Central, network and local DP-SGD on Houses, complete graph", Source: "002 Figure 7.2", Data: "houses/houses.csv"}
	s.compute = func(ctx context.Context, data string, say func(string)) (*Findings, error) {
		return comparedSGD{study: s, nodes: 2000, steps: 20000, trials: 5, sizes: []float64{0.0003, 0.001, 0.003, 0.01, 0.03}}.run(ctx, data, say)
	}
	s.quick = func(ctx context.Context, data string, say func(string)) (*Findings, error) {
		return comparedSGD{study: s, nodes: 500, steps: 3000, trials: 1, sizes: []float64{0.005}}.run(ctx, data, say)
	}
	return s
}

// comparedSGD runs every setting with every step size and keeps the best.
type comparedSGD struct {
	study                Study
	nodes, steps, trials int
	sizes                []float64
}

// settings are a trusted curator, a token that visits any node, and public releases, with
// the papers' accountants and sound ones.
var settings = []struct {
	name, kind, printed, sound string
}{{"central", "central", "published", "tight"}, {"network", "complete-sgd", "published", "path"}, {"local", "local", "published", "local"}}

func (c comparedSGD) run(ctx context.Context, data string, say func(string)) (*Findings, error) {
	f := &Findings{Tables: []Table{{Name: "objectives", Header: []string{"epsilon", "setting", "accountant", "sigma", "step size", "objective", "accuracy"}}}}
	f.Charts = []Chart{{"figure", []Panel{{Title: string(AsPublished)}, {Title: string(WhatIsTrue)}}}}
	for k := range f.Charts[0].Panels {
		p := &f.Charts[0].Panels[k]
		p.X, p.Y, p.Linear = "epsilon", "objective at the end", true
		for _, setting := range settings {
			p.Lines = append(p.Lines, Line{Name: setting.name})
		}
	}
	for _, eps := range []float64{10, 1} {
		for k, basis := range []Basis{AsPublished, WhatIsTrue} {
			var best [3]sgdOutcome
			for i, setting := range settings {
				accountant := setting.printed
				if basis == WhatIsTrue {
					accountant = setting.sound
				}
				var err error
				if best[i], err = c.best(ctx, data, setting.kind, accountant, eps); err != nil {
					return nil, fmt.Errorf("%s at epsilon %g: %w", setting.name, eps, err)
				}
				o, l := best[i], &f.Charts[0].Panels[k].Lines[i]
				l.X, l.Y = append(l.X, eps), append(l.Y, o.objective)
				f.Tables[0].Rows = append(f.Tables[0].Rows, []string{fmt.Sprint(eps), setting.name, accountant, decimal(o.sigma), fmt.Sprint(o.size),
					decimal(o.objective), decimal(o.accuracy)})
				say(fmt.Sprintf("epsilon %g, %s by %s: sigma %.4g, objective %.4f", eps, setting.name, accountant, o.sigma, o.objective))
			}
			f.judge(&best, func() []Check { return orderedSGD(eps, basis, best) })
		}
	}
	return f, nil
}

// An sgdOutcome is the result of the best step size of a setting, as a mean over trials.
type sgdOutcome struct{ sigma, size, objective, accuracy float64 }

// best prices a setting once, because losses do not depend on the step size. It keeps the
// step size with the least final objective.
func (c comparedSGD) best(ctx context.Context, data, kind, accountant string, eps float64) (best sgdOutcome, err error) {
	var sigma float64
	for i, gamma := range c.sizes {
		made, err := c.study.Spec(Variant{Name: kind, change: func(s *spec.Spec) { c.change(s, kind, accountant, eps, gamma) }}, data)
		if err != nil {
			return best, err
		}
		opened, err := experiment.Open(ctx, made, nil)
		if err != nil {
			return best, err
		}
		if i == 0 {
			_, priced, err := family.SetNoise(ctx, opened.Algorithm)
			if err != nil {
				return best, err
			}
			sigma = priced.Sigma
		}
		one, err := c.tried(ctx, opened, sigma)
		if err != nil {
			return best, err
		}
		if one.size = gamma; i == 0 || one.objective < best.objective {
			best = one
		}
	}
	return best, nil
}

// tried runs an algorithm with a noise level.
func (c comparedSGD) tried(ctx context.Context, p *experiment.Prepared, sigma float64) (sgdOutcome, error) {
	all := make([]sgdOutcome, c.trials)
	noisy, err := p.Algorithm.WithNoise(sigma)
	if err != nil {
		return sgdOutcome{}, err
	}
	err = sim.Each(ctx, c.trials, workers(), func(ctx context.Context, i int) error {
		theta, err := noisy.Trial(ctx, experiment.TrialSeed(p.Spec.Seed, i), func(int, []float64, float64) {})
		if err == nil {
			loss, _ := p.Objective.Score(theta, p.Train)
			all[i].objective = loss + p.Objective.Penalty(theta)
			_, all[i].accuracy = p.Objective.Score(theta, p.Test)
		}
		return err
	})
	mean := sgdOutcome{sigma: sigma}
	for _, one := range all {
		mean.objective += one.objective / float64(c.trials)
		mean.accuracy += one.accuracy / float64(c.trials)
	}
	return mean, err
}

// change sets the run on Houses for a loss and a step size. Nodes contribute at most 1.2
// T/n times.
func (c comparedSGD) change(s *spec.Spec, kind, accountant string, eps, gamma float64) {
	a := &s.Algorithm
	s.Graph, s.Nodes, s.Trials, s.Report.Every = "none", c.nodes, c.trials, c.steps/20
	a.Kind, a.Steps, a.StepSize.Base, a.Clip, a.Average, a.Own = kind, c.steps, gamma, 1, "none", nil
	a.Contributions = int(math.Ceil(1.2 * float64(c.steps) / float64(c.nodes)))
	switch kind {
	case "central":
		a.Contributions = 0
	case "complete-sgd":
		a.Own = &complete.Keys{}
	}
	s.Privacy.Accountant, s.Privacy.Conversion, s.Privacy.Calibrate = accountant, "mironov", &spec.Calibrate{Max: eps}
}

// orderedSGD checks the paper's statements about the three settings.
func orderedSGD(eps float64, basis Basis, best [3]sgdOutcome) []Check {
	central, network, local := best[0].objective, best[1].objective, best[2].objective
	measured := fmt.Sprintf("objectives: central %.4f, network %.4f, local %.4f", central, network, local)
	return []Check{
		{fmt.Sprintf("network DP-SGD outperforms local DP-SGD at epsilon %g", eps), basis, network < local, measured},
		{fmt.Sprintf("network DP-SGD is nearer to central than to local DP-SGD at epsilon %g", eps), basis, network-central < local-network, measured},
	}
}
