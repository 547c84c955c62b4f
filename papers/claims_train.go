package papers

import (
	"context"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/sim"
)

// spread is a mean over trials with the standard deviation between them.
type spread struct{ mean, std float64 }

func spreadOf(x []float64) (s spread) {
	for _, v := range x {
		s.mean += v / float64(len(x))
	}
	square := 0.0
	for _, v := range x {
		square += float64((v - s.mean) * (v - s.mean))
	}
	s.std = math.Sqrt(square / max(1, float64(len(x)-1)))
	return s
}

// A trainer runs one setting at one noise level.
type trainer struct {
	contender
	algorithm family.Algorithm
	models    int // number of nodes that are scored
}

// accuracy runs trials first..last-1 and scores them on rows.
func (t *trainer) accuracy(ctx context.Context, first, last int, rows model.Examples) (spread, error) {
	scores := make([]float64, last-first)
	err := sim.Each(ctx, len(scores), workers(), func(ctx context.Context, i int) (err error) {
		scores[i], err = t.trial(ctx, experiment.TrialSeed(t.algorithm.Of().Spec.Seed, first+i), rows)
		return err
	})
	return spreadOf(scores), err
}

// trial scores the result of a run: the last token, or the mean score of the nodes'
// own models.
func (t *trainer) trial(ctx context.Context, seed uint64, rows model.Examples) (float64, error) {
	ignore := func(int, []float64, float64) {}
	if !t.gossip {
		last, err := t.algorithm.Trial(ctx, seed, ignore)
		return t.score(last, rows), err
	}
	sum, d, count := 0.0, t.algorithm.Local().Params, min(t.models, t.nodes)
	_, err := t.algorithm.(family.Keeper).TrialKept(ctx, seed, ignore, func(models []float64) {
		for i := range count {
			v := i * t.nodes / count
			sum += t.score(models[v*d:(v+1)*d], rows)
		}
	})
	return sum / float64(count), err
}

// score returns the share of rows that a model classifies correctly.
func (t *trainer) score(theta []float64, rows model.Examples) float64 {
	_, accuracy := t.algorithm.Of().Objective.Score(theta, rows)
	return accuracy
}

// enter tunes a contender for every claim and scores its best settings. Settings are
// chosen on the participants' own rows, by trials that are not reported. Test rows
// are used once, at the end.
func (c contest) enter(ctx context.Context, one contender, data string, say func(string)) (prices []priced, all []entry, err error) {
	opened, err := one.open(ctx, data)
	if err != nil {
		return nil, nil, err
	}
	best := map[string]entry{}
	for _, steps := range one.steps {
		a, err := one.set(ctx, opened, steps, one.sizes[0])
		if err != nil {
			return nil, nil, err
		}
		sigmas, err := one.sigmas(ctx, a)
		if err != nil {
			return nil, nil, err
		}
		prices = append(prices, priced{one, steps, sigmas})
		say(prices[len(prices)-1].String())
		for _, size := range one.sizes {
			if err := c.try(ctx, opened, prices[len(prices)-1], size, best); err != nil {
				return nil, nil, err
			}
		}
	}
	for _, claim := range claims {
		e := best[claim]
		if e.contender.name == "" { // the claim applies to no pair
			continue
		}
		if e.accuracy, err = c.result(ctx, opened, e); err != nil {
			return nil, nil, err
		}
		all = append(all, e)
		say(e.String())
	}
	return prices, all, nil
}

// try tunes one setting for every claim.
func (c contest) try(ctx context.Context, on *experiment.Prepared, p priced, size float64, best map[string]entry) error {
	a, err := p.contender.set(ctx, on, p.steps, size)
	if err != nil {
		return err
	}
	for claim, sigma := range p.sigmas {
		noisy, err := a.WithNoise(sigma)
		if err != nil {
			return err
		}
		t := trainer{p.contender, noisy, (c.models + 3) / 4}
		found, err := t.accuracy(ctx, 0, c.tuning, a.Of().Train)
		if err != nil {
			return err
		}
		if found.mean > best[claim].trained {
			best[claim] = entry{contender: p.contender, claim: claim, sigma: sigma, steps: p.steps, size: size, trained: found.mean}
		}
	}
	return nil
}

// result returns the accuracy of a setting on the test rows.
func (c contest) result(ctx context.Context, on *experiment.Prepared, e entry) (spread, error) {
	a, err := e.contender.set(ctx, on, e.steps, e.size)
	if err != nil {
		return spread{}, err
	}
	noisy, err := a.WithNoise(e.sigma)
	if err != nil {
		return spread{}, err
	}
	t := trainer{e.contender, noisy, c.models}
	return t.accuracy(ctx, c.tuning, c.tuning+c.trials, a.Of().Test)
}
