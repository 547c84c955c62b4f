package experiment

import (
	"context"
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/step"
)

// penalties are what a participant alone chooses its penalty from, beside that of the spec.
var penalties = []float64{0.001, 0.01, 0.1, 1}

// folds is in how many parts own rows are cut for that, and leastTuned how many rows are worth cutting.
const (
	folds      = 5
	leastTuned = 2 * folds
)

// tunedWork is by how much tuning makes training alone more work.
var tunedWork = float64(folds*(len(penalties)+1) + 1)

// trainAlone is what a participant with these rows ends with alone: it minimises their mean loss and a penalty, unclipped.
// Tuned, it has chosen the penalty that leaves the least loss on rows of its own that it did not learn from.
func (s *Priced) trainAlone(own model.Examples, tuned bool) []float64 {
	o, begin := s.Objective, s.Algorithm.Local().Begin()
	if !tuned || own.Len() < leastTuned {
		return o.Minimise(own, begin, aloneIterations)
	}
	best, least := o.L2, math.Inf(1)
	for _, l2 := range append([]float64{o.L2}, penalties...) {
		try, left := o, 0.0
		try.L2 = l2
		for fold := range folds {
			learnt, kept := cutFold(own, fold)
			if kept.Len() == 0 {
				continue
			}
			loss, _ := model.Objective{Model: o.Model}.Score(try.Minimise(learnt, begin, aloneIterations), kept)
			left += float64(loss * float64(kept.Len()))
		}
		if left < least {
			best, least = l2, left
		}
	}
	o.L2 = best
	return o.Minimise(own, begin, aloneIterations)
}

// cutFold cuts every fifth row of each label off, from the fold-th on.
func cutFold(ex model.Examples, fold int) (rest, kept model.Examples) {
	rest.Features, kept.Features = ex.Features, ex.Features
	seen := map[float64]int{}
	for i := range ex.Len() {
		x, y := ex.Row(i)
		into := &rest
		if seen[y]%folds == fold {
			into = &kept
		}
		seen[y]++
		into.X, into.Y = append(into.X, x...), append(into.Y, y)
	}
	return rest, kept
}

// ofOwner are the test rows of a node's own kind.
func (s *Priced) ofOwner(v int) model.Examples {
	own, d := model.Examples{Features: s.Test.Features}, s.Test.Features
	for i, owner := range s.Federation.TestOwners {
		if int(owner) == v {
			own.X, own.Y = append(own.X, s.Test.X[i*d:(i+1)*d]...), append(own.Y, s.Test.Y[i])
		}
	}
	return own
}

// compareOwn scores the joined model and each participant's own on test rows of its own kind, over as many trials as keep
// other rows for testing and can be run again.
func (s *Priced) compareOwn(ctx context.Context, b *report.Baselines, who []int, tuned bool, say func(string)) error {
	predictor, ok := s.Objective.Model.(model.Predictor)
	if !ok || s.Federation.TestOwners == nil || len(who) < s.Spec.Nodes || s.Algorithm.Work() > s.affordable() || b.Measure != report.BalancedAccuracy && b.Measure != report.TestRMSE {
		return nil
	}
	trials := 1
	if s.splits(1) {
		trials = max(1, min(s.Spec.Trials, int(s.affordable()/max(1, s.Algorithm.Work()))))
	}
	say(fmt.Sprintf("to compare: the joined model and each participant's own, on its own rows, in %d trials", trials))
	joined, alone := make([]tally, len(who)), make([]tally, len(who))
	for i := range trials {
		p, err := s.OfTrial(ctx, i)
		if err != nil {
			return err
		}
		ends, err := p.Ends(ctx, TrialSeed(s.Spec.Seed, i))
		if err != nil {
			return err
		}
		for k, v := range who {
			test := p.ofOwner(v)
			joined[k].add(predictor, ends[min(v, len(ends)-1)], test)
			alone[k].add(predictor, p.trainAlone(p.Examples.Examples(step.NodeID(v)), tuned), test)
		}
	}
	b.Own = s.onOwn(b, who, joined, alone)
	if b.Own != nil {
		b.Notes = append(b.Notes, fmt.Sprintf("On its own rows a participant is scored on test rows of its own natural group, over %d trials together.", trials))
	}
	return nil
}

// A tally is what is counted of predictions over several trials.
type tally struct {
	confusion [][]int
	square    float64
	rows      int
}

func (t *tally) add(m model.Predictor, theta []float64, test model.Examples) {
	t.rows += test.Len()
	if m.Classes() == 0 {
		if rmse := model.Residuals(m, theta, test).RMSE; test.Len() > 0 {
			t.square += float64(float64(rmse*rmse) * float64(test.Len()))
		}
		return
	}
	c := model.Classify(m, theta, test).Confusion
	if t.confusion == nil {
		t.confusion = c
		return
	}
	for i, row := range c {
		for j, n := range row {
			t.confusion[i][j] += n
		}
	}
}

// measure is the balanced accuracy, or the error in units of the label; NaN where rows lack a class.
func (t *tally) measure(unit float64) report.Number {
	if t.confusion != nil {
		return report.Number(model.Classified{Confusion: t.confusion}.Balanced())
	}
	return report.Number(unit * math.Sqrt(t.square/float64(t.rows)))
}

// right is the share of rows that are answered rightly; NaN of a regression.
func (t *tally) right() report.Number {
	right := 0
	for i, row := range t.confusion {
		right += row[i]
	}
	if t.confusion == nil {
		return report.Number(math.NaN())
	}
	return report.Number(float64(right) / float64(t.rows))
}

// onOwn sums up; nil where no participant has test rows of every class.
func (s *Priced) onOwn(b *report.Baselines, who []int, joined, alone []tally) *report.OnOwn {
	own, unit := &report.OnOwn{}, 1.0
	if l := s.Federation.Label; l != nil && l.Factor != 0 {
		unit = 1 / math.Abs(l.Factor)
	}
	for k, v := range who {
		row := report.OwnRow{Name: s.Name(v), Rows: joined[k].rows, Joined: joined[k].measure(unit), Alone: alone[k].measure(unit),
			JoinedRight: joined[k].right(), AloneRight: alone[k].right()}
		if row.Joined.Finite() && row.Alone.Finite() {
			own.Each = append(own.Each, row)
		}
	}
	n := report.Number(len(own.Each))
	if n == 0 {
		return nil
	}
	for _, row := range own.Each {
		own.Joined, own.Alone = own.Joined+row.Joined/n, own.Alone+row.Alone/n
		own.JoinedRight, own.AloneRight = own.JoinedRight+row.JoinedRight/n, own.AloneRight+row.AloneRight/n
		if better(b, row.Joined, row.Alone) {
			own.Gain += 1 / n
		}
	}
	own.Each = slices.Clip(own.Each)
	return own
}
