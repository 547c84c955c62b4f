package experiment

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/parallel"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/step"
)

// Bounds of the cost of comparing, in multiplications, or in gradients that another program is asked for, and of the number of
// participants trained alone.
const (
	compareWork     = 5e9
	compareAsked    = 2.5e5
	aloneLimit      = 256
	aloneIterations = 300
)

// affordable returns the largest cost of each part of comparing, in multiplications.
func (s *Priced) affordable() float64 {
	if s.Spec.External() {
		return compareAsked * float64(s.Algorithm.Local().Params)
	}
	return compareWork
}

// Compare trains the baselines of the result: the same algorithm
// without noise, with the routes of the first trial (and of the others, where each
// keeps other rows for testing), and participants alone. It takes nothing from the
// result but its scores, and adds a bounded amount of work for
// either part. Only a simulation can compare, because both parts need everybody's rows.
func (s *Priced) Compare(ctx context.Context, r *report.Result, say func(string), progress Progress) (*report.Baselines, error) {
	b := &report.Baselines{Notes: report.List[string]{
		"Baselines are computed by the simulator without noise, from rows that no participant shows: nobody lets them out, and no privacy loss here covers them.",
	}}
	b.Measure = s.measure(&r.Final)
	b.Rising = b.Measure == report.BalancedAccuracy
	b.Joined, b.Constant = b.Of(&r.Final), constantAnswer(b.Measure, &r.Final)
	if err := s.compareNoise(ctx, b, say, progress); err != nil {
		return nil, err
	}
	if err := s.compareAlone(ctx, b, say, progress); err != nil {
		return nil, err
	}
	if err := s.compareCurator(ctx, b, say); err != nil {
		return nil, err
	}
	return b, trouble(s.Holdings)
}

// effort states an amount of work in words: multiplications, or gradients of the program of an external model.
func (s *Priced) effort(work float64) string {
	if s.Spec.External() {
		return fmt.Sprintf("%.1e gradients of its program", work/float64(s.Algorithm.Local().Params))
	}
	return fmt.Sprintf("%.0e multiplications", work)
}

// compareNoise runs the first trial without noise, or as many as are to be compared.
func (s *Priced) compareNoise(ctx context.Context, b *report.Baselines, say func(string), progress Progress) error {
	switch work := s.Algorithm.Work(); {
	case s.Accounting.Sigma == 0:
		b.Notes = append(b.Notes, "The run itself has no noise: it is its own baseline.")
		return nil
	case work > s.affordable():
		b.Notes = append(b.Notes, fmt.Sprintf("The run was not repeated without noise: that would take some %s. A spec with sigma: 0 does it.", s.effort(work)))
		return nil
	}
	trials, what := 1, "the first trial"
	if s.splits(1) {
		trials = min(s.Spec.Trials, int(s.affordable()/max(1, s.Algorithm.Work())))
		what = fmt.Sprintf("%d of %d trials", trials, s.Spec.Trials)
	}
	say("to compare: " + what + " without noise")
	finals, err := s.bare(ctx, trials, progress)
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		b.Notes = append(b.Notes, "Without noise the run failed: "+err.Error()+".")
		return nil
	}
	if trials > 1 {
		b.Notes = append(b.Notes, fmt.Sprintf("Without noise %s were run, on the rows that each keeps for testing.", what))
	}
	final := newScorer(s.Algorithm).final(finals)
	b.WithoutNoise = &final
	return nil
}

// bare returns the scores of the first trials without noise.
func (s *Priced) bare(ctx context.Context, trials int, progress Progress) ([]score, error) {
	meter := newMeter(progress, trials, s.Spec.Algorithm.Steps)
	outcomes := make([]outcome, trials)
	errs := make([]error, trials) // of which the first trial's counts, whichever came first
	parallel.Each(trials, runtime.GOMAXPROCS(0), func(i int) {
		a, err := s.Algorithm, error(nil)
		if s.splits(i) {
			a, err = s.resplit(ctx, TrialSeed(s.Spec.Seed, i))
		}
		if err == nil {
			a, err = a.WithNoise(0)
		}
		if err == nil {
			outcomes[i], err = trial(ctx, a, newScorer(a), i, coresEach(trials), func(sc score) { meter.see(i, sc) })
		}
		errs[i] = err
	})
	var finals []score
	for i, err := range errs {
		if err != nil {
			return nil, err
		}
		finals = append(finals, outcomes[i].finals()...)
	}
	return finals, nil
}

// compareAlone trains participants on their own rows only.
func (s *Priced) compareAlone(ctx context.Context, b *report.Baselines, say func(string), progress Progress) error {
	who, tuned := s.alone()
	if len(who) == 0 {
		b.Notes = append(b.Notes, "No participant was trained alone: none has rows, or it would take too long.")
		return nil
	}
	say(fmt.Sprintf("to compare: %d participants, each on its own rows only", len(who)))
	finals, meter := make([]report.Final, len(who)), newMeter(progress, len(who), 1)
	meter.tick.Unit = "participants"
	scorer := newScorer(s.Algorithm)
	train, test := model.Examples{Features: s.Train.Features}, s.Test // the rows they are scored on
	if test.Len() == 0 {
		train = s.Train
	}
	err := sim.Each(ctx, len(who), runtime.GOMAXPROCS(0), func(_ context.Context, i int) error {
		theta := s.trainAlone(s.Examples.Examples(step.NodeID(who[i])), tuned)
		of := scorer.evaluateOn(theta, train, test, nil, 1)
		finals[i] = scorer.final([]score{of})
		of.step = 1
		meter.see(i, of)
		return nil
	})
	if err != nil {
		return err
	}
	b.Alone = s.summary(finals, b)
	how := "the penalty"
	if b.Alone.Tuned = tuned; tuned {
		how = "a penalty that it chooses itself, by cross-validation on its own rows"
	}
	b.Notes = append(b.Notes, fmt.Sprintf("A participant alone minimises the mean loss of its own rows and %s, unclipped, by %d steps of gradient descent.", how, aloneIterations))
	return s.compareHome(ctx, b, who, tuned, say)
}

// alone lists participants that hold rows, evenly spaced, as many as the bounds
// allow, and whether all of them may be tuned.
func (s *Priced) alone() (few []int, tuned bool) {
	var who []int
	offsets := s.Federation.Shards.Offsets
	for v := range s.Spec.Nodes {
		if offsets[v+1] > offsets[v] {
			who = append(who, v)
		}
	}
	if len(who) == 0 {
		return nil, false
	}
	params, scored := float64(s.Algorithm.Local().Params), float64(s.Train.Len()+s.Test.Len())
	each := params * (aloneIterations*float64(s.Train.Len())/float64(len(who)) + scored)
	affordable := max(s.affordable(), s.Algorithm.Work()/2) // of a long run it is the one comparison that a participant needs
	limit := int(min(aloneLimit, affordable/each))
	few = make([]int, min(limit, len(who)))
	for i := range few {
		few[i] = who[i*len(who)/len(few)]
	}
	return few, model.TunedWork*each*float64(len(few)) <= affordable
}

// summary summarises the scores of participants alone.
func (s *Priced) summary(finals []report.Final, b *report.Baselines) *report.Alone {
	a := &report.Alone{Participants: len(finals), Of: s.Spec.Nodes, Worst: b.Of(&finals[0]), Best: b.Of(&finals[0])}
	n := report.Number(len(finals))
	accuracy := 0.0
	for i := range finals {
		x := b.Of(&finals[i])
		a.Mean += x
		a.TestLoss += finals[i].TestLoss
		if better(b, x, a.Best) {
			a.Best = x
		}
		if better(b, a.Worst, x) {
			a.Worst = x
		}
		if better(b, b.Joined, x) {
			a.Gain++
		}
		if share := finals[i].TestAccuracy; share != nil {
			accuracy += *share / float64(len(finals))
			a.TestAccuracy = &accuracy
		}
	}
	a.Mean, a.TestLoss, a.Gain = a.Mean/n, a.TestLoss/n, a.Gain/n
	return a
}

// better reports whether a is, by the measure.
func better(b *report.Baselines, x, y report.Number) bool {
	if b.Rising {
		return x > y
	}
	return x < y
}

// measure returns the name of the number that models are compared by: the balanced accuracy of
// a classifier, the error of a regression in its label's unit, and else the loss
// on test rows, or on training rows if there are no test rows.
func (s *Priced) measure(f *report.Final) string {
	predictor, predicts := s.Objective.Model.(model.Predictor)
	switch tested := s.Test.Len() > 0; {
	case s.Spec.External() && f.Classification != nil && f.Classification.Balanced.Finite():
		return report.BalancedAccuracy
	case predicts && predictor.Classes() > 0 && allOccur(s.Test.Y, predictor.Classes()):
		return report.BalancedAccuracy
	case tested && predicts && predictor.Classes() == 0:
		return report.TestRMSE
	case tested:
		return report.TestLoss
	}
	return report.TrainLoss
}

// allOccur reports whether every class has a row.
func allOccur(labels []float64, classes int) bool {
	for c := range classes {
		if !slices.Contains(labels, model.LabelOf(c, classes)) {
			return false
		}
	}
	return true
}

// constantAnswer returns the measure of a constant prediction. It returns NaN if the measure is a loss.
func constantAnswer(measure string, f *report.Final) report.Number {
	switch measure {
	case report.BalancedAccuracy:
		return report.Number(1 / float64(len(f.Classification.Classes)))
	case report.TestRMSE:
		return f.Regression.MeanRMSE
	}
	return report.Number(math.NaN())
}
