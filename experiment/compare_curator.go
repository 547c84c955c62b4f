package experiment

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/parallel"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// A curator takes at most curatorSteps steps, and at least leastSteps, with each of some step sizes.
const (
	curatorSteps = 100
	leastSteps   = 10
)

var curatorRates = []float64{0.25, 1, 4, 16, 64}

// A curator is trusted with all rows, and releases the mean of all clipped gradients and noise in every step.
type curator struct {
	units   []model.Examples // participants' rows, or all rows, whose gradients are clipped as in the run
	shown   float64          // how many of them a mean is over
	local   descent.Local
	steps   int
	hurries bool    // it has time for one step size only
	std     float64 // of the noise of a step's mean, a coordinate
}

// compareCurator trains the model of a curator who is trusted with all rows, at the loss of the run's worst pair. It takes full
// batches, which is more than the papers' baseline (kind central) takes, a user a step.
func (s *Priced) compareCurator(ctx context.Context, b *report.Baselines, say func(string)) error {
	c, target, sigma, why := s.curator()
	if why != "" {
		b.Notes = append(b.Notes, "What a curator would reach was not computed: "+why+".")
		return nil
	}
	say("to compare: a curator who is trusted with all rows")
	rates := s.curatorRates(c)
	models, losses := make([][]float64, len(rates)), make([]float64, len(rates))
	parallel.Each(len(rates), runtime.GOMAXPROCS(0), func(i int) {
		models[i] = c.train(ctx, rates[i], TrialSeed(s.Spec.Seed, 0))
		losses[i], _ = s.Objective.Score(models[i], s.Train)
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	best := 0
	for i := range losses {
		if losses[i] < losses[best] || math.IsNaN(losses[best]) {
			best = i
		}
	}
	scorer := newScorer(s.Algorithm)
	final := scorer.final([]score{scorer.evaluateOn(models[best], s.Train, s.Test, nil, runtime.GOMAXPROCS(0))})
	final.Scored, final.Consensus = "", nil
	b.Curator = &final
	b.Notes = append(b.Notes, fmt.Sprintf("The curator is trusted with all rows and takes %d steps on all of them, clipped as in the run%s%s, with noise for the same loss as the run's worst pair (%s, multiplier %s), and %s.",
		c.steps, c.clipping(), c.carrying(), report.Loss(target, report.Sound), report.Upwards(sigma, 4), chosen(rates)))
	return nil
}

// curatorRates returns the step sizes that a curator tries. If more would take too long, it is the run's alone.
func (s *Priced) curatorRates(c *curator) []float64 {
	if own := c.local.StepSize; c.hurries && own.Power == 0 {
		return []float64{own.Base}
	}
	scale := 0.2 // where nothing is known of how the loss bends
	if smooth := s.Objective.Guarantees(s.longest()).Smoothness(); !math.IsInf(smooth, 1) && smooth > 0 {
		scale = 1 / smooth
	}
	scale *= 1 - c.local.Momentum // a step goes on to 1/(1-momentum) times its length
	rates := make([]float64, len(curatorRates))
	for i, times := range curatorRates {
		rates[i] = scale * times
	}
	return rates
}

func chosen(rates []float64) string {
	if len(rates) == 1 {
		return "the step size of the run"
	}
	return fmt.Sprintf("the best on the training rows of %d step sizes: that choice is not priced", len(rates))
}

// curator returns the curator to compare with, and its target and sigma. If there is none, why is the reason.
func (s *Priced) curator() (c *curator, target, sigma float64, why string) {
	local := *s.Algorithm.Local()
	m, err := family.Metric(&s.Spec.Privacy)
	sound := slices.IndexFunc(s.Accounting.Accounts, func(a family.Account) bool { return a.Status == report.Sound })
	if _, counts := s.Algorithm.(family.Estimator); err != nil || counts || s.Objective.Name() == (model.Mean{}).Name() || s.Objective.Name() == (model.Histogram{}).Name() {
		return nil, 0, 0, "nothing is learnt by gradients"
	}
	switch {
	case s.Accounting.Sigma == 0:
		return nil, 0, 0, "the run itself has no noise"
	case sound < 0:
		return nil, 0, 0, "the run has no sound loss to give it"
	case !(local.Noise.Clip > 0) || math.IsInf(local.Noise.Clip, 1):
		return nil, 0, 0, "the run does not clip"
	}
	target = float64(s.Accounting.Accounts[sound].Max)
	if math.IsInf(target, 1) || !(target > 0) {
		return nil, 0, 0, "the run's worst loss is " + report.Loss(target, report.Sound)
	}
	each := float64(len(curatorRates)*s.Train.Len()) * float64(local.Params) * float64(max(1, local.LocalSteps))
	steps := int(min(curatorSteps, s.affordable()/each))
	hurries := steps < curatorSteps
	if hurries {
		each /= float64(len(curatorRates))
		steps = int(min(curatorSteps, s.affordable()/each))
	}
	if least := min(curatorSteps, max(leastSteps, s.Spec.Algorithm.Steps)); hurries && steps < least { // fewer steps than the run would say too little
		return nil, 0, 0, "it would take " + s.effort(float64(least)*each)
	}
	found, err := privacy.TightGaussian(float64(steps), target, m)
	if err != nil {
		return nil, 0, 0, err.Error()
	}
	c = &curator{steps: steps, hurries: hurries, local: descent.Local{StepSize: local.StepSize, Params: local.Params, Objective: local.Objective, Noise: noise.Gaussian{Clip: local.Noise.Clip, Together: local.Noise.Together}, LocalSteps: local.LocalSteps, Radius: local.Radius, Momentum: local.Momentum, Initial: local.Begin()}}
	if s.Spec.Records() {
		c.units, c.shown = []model.Examples{s.Train}, float64(s.Train.Len())
	} else {
		for v := range s.Spec.Nodes {
			if own := s.Examples.Examples(step.NodeID(v)); own.Len() > 0 {
				c.units = append(c.units, own)
			}
		}
		c.shown = float64(len(c.units))
	}
	c.std = found.Sigma * 2 * local.Noise.Clip / c.shown
	return c, target, found.Sigma, ""
}

// clipping says that a curator clips means, and "" if it clips rows.
func (c *curator) clipping() string {
	if !c.local.Noise.Together {
		return ""
	}
	return " (each participant's mean)"
}

// carrying names the curator's momentum. It returns "" if there is none.
func (c *curator) carrying() string {
	if c.local.Momentum == 0 {
		return ""
	}
	return fmt.Sprintf(" and with its momentum of %g", c.local.Momentum)
}

// longest returns the largest norm of a training row.
func (s *Priced) longest() (most float64) {
	for i := range s.Train.Len() {
		x, _ := s.Train.Row(i)
		most = max(most, model.RowNorm(x, false))
	}
	return most
}

// train takes the curator's steps, all at one step size.
func (c *curator) train(ctx context.Context, rate float64, seed uint64) []float64 {
	local := c.local
	local.StepSize = descent.StepSize{Base: rate}
	source := noise.NewSimulated(seed)
	kernel := descent.NewKernel(&local, source)
	theta, sum, own, velocity := slices.Clone(local.Initial), make([]float64, local.Params), make([]float64, local.Params), make([]float64, local.Params)
	for k := range c.steps {
		if ctx.Err() != nil {
			return theta
		}
		clear(sum)
		for i := range c.units {
			copy(own, theta)
			kernel.Contribute(own, &c.units[i], 1, k, &step.Release{})
			sparse.Axpy(sum, 1/float64(len(c.units)), own)
		}
		source.Add(sum, rate*c.std, 0, step.Turn(k), 0)
		theta, sum = sum, theta
		if local.Momentum > 0 {
			local.Carry(theta, sum, velocity, k)
		}
	}
	return theta
}
