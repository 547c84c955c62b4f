package design

import (
	"context"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/spread"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/report"
)

// A Utility holds the score of a plan's models on rows that nobody learns from: the mean over trials with its 95 % interval.
type Utility struct {
	Score  report.Number `json:"score"`
	Low    report.Number `json:"low"`
	High   report.Number `json:"high"`
	Trials int           `json:"trials"`
}

// utilityOf returns the utility of scores.
func utilityOf(scores []float64) Utility {
	scores = scored(scores)
	mean, deviation := spread.Moments(scores)
	reach := spread.Reach(deviation, len(scores))
	return Utility{report.Number(mean), report.Number(mean - reach), report.Number(mean + reach), len(scores)}
}

// mostScored is the number of nodes whose own models are scored, evenly spaced, if there are more.
const mostScored = 8

// trial runs trial i of a prepared plan with noise and returns the score of its models: the balanced accuracy of a classifier, else
// the error below 0, so that more is better. A model that diverged scores -Inf.
func trial(ctx context.Context, p *experiment.Prepared, sigma float64, i int) (float64, error) {
	a, err := p.Algorithm.WithNoise(sigma)
	if err != nil {
		return 0, err
	}
	priced := &experiment.Priced{Prepared: experiment.Prepared{Holdings: a.Of(), Algorithm: a}, Accounting: family.Accounting{Sigma: sigma}}
	run, err := priced.OfTrial(ctx, i)
	if err != nil {
		return 0, err
	}
	ends, err := run.Ends(ctx, experiment.TrialSeed(p.Spec.Seed, i))
	if err != nil {
		return 0, err
	}
	n := min(len(ends), mostScored)
	mean := 0.0
	for k := range n {
		mean += score(run, ends[k*len(ends)/n]) / float64(n)
	}
	return mean, nil
}

// score returns the score of one model on the test rows.
func score(p *experiment.Priced, theta []float64) float64 {
	for _, x := range theta {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return math.Inf(-1)
		}
	}
	if c, classifies := p.Objective.Classified(theta, p.Test); classifies {
		return c.Balanced()
	}
	return -model.Residuals(p.Objective.Model.(model.Predictor), theta, p.Test).RMSE
}
