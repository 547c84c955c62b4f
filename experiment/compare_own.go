package experiment

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/spread"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/step"
)

// trainAlone returns the model that a participant with these rows reaches alone, unclipped. If tuned, it chooses its penalty itself.
func (s *Priced) trainAlone(own model.Examples, tuned bool) []float64 {
	begin := s.Algorithm.Local().Begin()
	if tuned {
		return s.Objective.Tuned(own, begin, aloneIterations).Theta
	}
	return s.Objective.Minimise(own, begin, aloneIterations)
}

// ofOwner returns the test rows of a node's own kind.
func (s *Priced) ofOwner(v int) model.Examples {
	own, d := model.Examples{Features: s.Test.Features}, s.Test.Features
	for i, owner := range s.Federation.TestOwners {
		if int(owner) == v {
			own.X, own.Y = append(own.X, s.Test.X[i*d:(i+1)*d]...), append(own.Y, s.Test.Y[i])
		}
	}
	return own
}

// fits holds the models that one participant can use.
type fits struct{ joined, alone, home []float64 }

// compareHome scores the joined model after a last step at home by each participant, on everybody's rows. Where test rows
// have owners, it also scores all three models on each participant's own rows. It does so over as many trials as keep other rows
// for testing and can be run again.
func (s *Priced) compareHome(ctx context.Context, b *report.Baselines, who []int, tuned bool, say func(string)) error {
	predictor, ok := s.Objective.Model.(model.Predictor)
	if !ok || s.Algorithm.Work() > s.affordable() || b.Measure != report.BalancedAccuracy && b.Measure != report.TestRMSE {
		return nil
	}
	owned, trials := s.Federation.TestOwners != nil && len(who) == s.Spec.Nodes, 1
	if !owned && !tuned {
		return nil
	}
	if owned && s.splits(1) {
		trials = max(1, min(s.Spec.Trials, int(s.affordable()/max(1, s.Algorithm.Work()))))
	}
	say(fmt.Sprintf("to compare: models of %d participants after a last step at home, trials: %d", len(who), trials))
	own := newOwnTally(predictor, len(who))
	for i := range trials {
		p, err := s.OfTrial(ctx, i)
		if err != nil {
			return err
		}
		models, err := p.fitAll(ctx, who, tuned, TrialSeed(s.Spec.Seed, i))
		if err != nil {
			return err
		}
		if i == 0 && tuned {
			b.Home = p.scoreHome(b, models)
		}
		if owned {
			for k, v := range who {
				own.add(k, p.ofOwner(v), models[k])
			}
			own.endTrial()
		}
	}
	b.Notes = append(b.Notes, "At home a participant fits its own rows once more, near the joined model or without it, whichever of nine fits does best by cross-validation on its own rows. That model costs no privacy as long as neither it nor its answers are shown to anybody.")
	if b.Own = s.onOwn(b, who, own, tuned); b.Own != nil {
		b.Notes = append(b.Notes, fmt.Sprintf("On its own rows a participant is scored on test rows of its own natural group, over %d trials together.", trials))
	}
	return nil
}

// fitAll runs a trial again and fits each participant's models.
func (s *Priced) fitAll(ctx context.Context, who []int, tuned bool, seed uint64) ([]fits, error) {
	ends, err := s.Ends(ctx, seed)
	if err != nil {
		return nil, err
	}
	models := make([]fits, len(who))
	err = sim.Each(ctx, len(who), runtime.GOMAXPROCS(0), func(_ context.Context, k int) error {
		rows, joined := s.Examples.Examples(step.NodeID(who[k])), ends[min(who[k], len(ends)-1)]
		models[k] = fits{joined: joined, alone: s.trainAlone(rows, tuned), home: joined}
		if tuned {
			models[k].home = s.Objective.AtHome(rows, joined, aloneIterations).Theta
		}
		return nil
	})
	return models, err
}

// scoreHome sums up how models of homes do on everybody's rows.
func (s *Priced) scoreHome(b *report.Baselines, models []fits) *report.Alone {
	scorer, finals := newScorer(s.Algorithm), make([]report.Final, len(models))
	for k, m := range models {
		finals[k] = scorer.final([]score{scorer.evaluateOn(m.home, model.Examples{Features: s.Train.Features}, s.Test, nil, runtime.GOMAXPROCS(0))})
	}
	return s.summary(finals, b)
}

// An ownTally counts predictions of three models a participant on its own rows.
type ownTally struct {
	predictor model.Predictor
	each      [][3]tally // joined, alone, at home
	trial     [][3]tally // of the trial that is counted
	means     [3][]float64
}

func newOwnTally(predictor model.Predictor, participants int) *ownTally {
	return &ownTally{predictor: predictor, each: make([][3]tally, participants), trial: make([][3]tally, participants)}
}

func (o *ownTally) add(k int, test model.Examples, m fits) {
	for i, theta := range [][]float64{m.joined, m.alone, m.home} {
		o.each[k][i].Add(o.predictor, theta, test)
		o.trial[k][i].Add(o.predictor, theta, test)
	}
}

// endTrial notes the means over participants of a trial, of the share of right answers or of the error.
func (o *ownTally) endTrial() {
	for i := range o.means {
		sum, n := 0.0, 0.0
		for k := range o.trial {
			if t := &o.trial[k][i]; t.Rows > 0 {
				sum, n = sum+t.plain(1), n+1
			}
		}
		o.means[i] = append(o.means[i], sum/n)
	}
	clear(o.trial)
}

// A tally counts predictions over several trials.
type tally struct{ model.Tally }

// measure returns the balanced accuracy, or the error in units of the label. It is NaN if rows lack a class.
func (t *tally) measure(unit float64) report.Number {
	if t.Confusion != nil {
		return report.Number(t.Balanced())
	}
	return report.Number(unit * t.RMSE())
}

// right returns the share of rows that are predicted rightly. It returns NaN for a regression.
func (t *tally) right() report.Number {
	if t.Confusion == nil {
		return report.Number(math.NaN())
	}
	return report.Number(t.plain(1))
}

// plain returns the share of rows that are predicted rightly, or the error of a regression in units of the label.
func (t *tally) plain(unit float64) float64 {
	if t.Confusion == nil {
		return unit * t.RMSE()
	}
	return t.Right()
}

// onOwn summarises the scores on own rows. It returns nil if no participant has test rows of every class.
func (s *Priced) onOwn(b *report.Baselines, who []int, of *ownTally, tuned bool) *report.OnOwn {
	own, unit := &report.OnOwn{Trials: len(of.means[0]), AtHome: tuned}, 1.0
	if l := s.Federation.Label; l != nil && l.Factor != 0 {
		unit = 1 / math.Abs(l.Factor)
	}
	for k, v := range who {
		joined, alone, home := &of.each[k][0], &of.each[k][1], &of.each[k][2]
		if joined.Rows == 0 {
			continue
		}
		row := report.OwnRow{Name: s.Name(v), Rows: joined.Rows, Joined: joined.measure(unit), Alone: alone.measure(unit), Home: home.measure(unit),
			JoinedRight: joined.right(), AloneRight: alone.right(), HomeRight: home.right()}
		if row.Joined.Finite() && row.Alone.Finite() {
			own.Each = append(own.Each, row)
		}
	}
	n := report.Number(len(own.Each))
	if n == 0 {
		return nil
	}
	for _, row := range own.Each {
		own.Joined, own.Alone, own.Home = own.Joined+row.Joined/n, own.Alone+row.Alone/n, own.Home+row.Home/n
		own.JoinedRight, own.AloneRight, own.HomeRight = own.JoinedRight+row.JoinedRight/n, own.AloneRight+row.AloneRight/n, own.HomeRight+row.HomeRight/n
		if better(b, row.Joined, row.Alone) {
			own.Gain += 1 / n
		}
		if better(b, row.Home, row.Alone) {
			own.HomeGain += 1 / n
		}
	}
	own.JoinedReach, own.AloneReach, own.HomeReach = reachOf(of.means[0], unit), reachOf(of.means[1], unit), reachOf(of.means[2], unit)
	own.Each = slices.Clip(own.Each)
	return own
}

// reachOf returns the half-width of the interval of the mean over trials. It returns NaN for one trial.
func reachOf(means []float64, unit float64) report.Number {
	if len(means) < 2 {
		return report.Number(math.NaN())
	}
	_, deviation := spread.Moments(means)
	return report.Number(unit * spread.Reach(deviation, len(means)))
}
