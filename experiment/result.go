package experiment

import (
	"context"
	"fmt"
	"runtime"
	"strconv"

	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/visible"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/step"
)

// Run trains every trial and gathers all there is to say.
func (s *Priced) Run(ctx context.Context, progress Progress) (*report.Bundle, error) {
	outcomes, seconds, err := s.trials(ctx, progress)
	if err != nil {
		return nil, err
	}
	result, err := s.result(outcomes, seconds)
	if err != nil {
		return nil, err
	}
	return s.bundle(&report.Bundle{Result: result, Losses: s.losses(), Picture: s.picture()})
}

// bundle returns b with the resolved spec, which names files by absolute paths until it is written into a folder or shown.
func (s *Priced) bundle(b *report.Bundle) (_ *report.Bundle, err error) {
	b.Resolve = func(dir string) ([]byte, any, error) {
		moved := RelativeTo(s.Spec, dir)
		plain, err := moved.Plain()
		if err != nil {
			return nil, nil, err
		}
		text, err := moved.YAML()
		return text, plain, err
	}
	if b.ResolvedSpec, err = s.Spec.YAML(); err != nil {
		return nil, err
	}
	b.Result.Spec, err = s.Spec.Plain()
	return b, err
}

func (s *Priced) result(outcomes []outcome, seconds taken) (*report.Result, error) {
	steps, scorer := s.Spec.Algorithm.Steps, newScorer(s.Algorithm)
	r := &report.Result{
		Name: s.Spec.Title(), Algorithm: s.Spec.Algorithm.Kind, Story: s.Spec.Story(), Model: s.Spec.Model.Kind,
		WallSeconds: seconds.all, ScoringSeconds: seconds.scoring, Steps: steps,
		StepsPerSecond: float64(steps*len(outcomes)) / (seconds.all - seconds.scoring),
		Recipe:         s.Recipe(), Privacy: s.privacy(), Data: dataFacts(s.Holdings), Graph: s.graphFacts(), Notes: s.notes(),
		Versions: map[string]string{"hearsay": Version(), "go": runtime.Version()},
	}
	var finals, means []score
	for _, o := range outcomes {
		finals, means = append(finals, o.finals()...), append(means, o.mean...)
		r.Trials = append(r.Trials, report.Trial{Seed: o.seed, Final: scorer.final(o.finals()), Model: o.model})
		r.Trials[len(r.Trials)-1].Final.MeanModel = scorer.meanModel(o.mean)
	}
	if len(outcomes) > 1 {
		r.TrialsVary = "noise and routes"
		if s.splits(1) {
			r.TrialsVary = "rows kept for testing, noise and routes"
		}
	}
	if estimator, ok := s.Algorithm.(family.Estimator); ok {
		models := make([][]float64, len(outcomes))
		for i, o := range outcomes {
			models[i] = o.model
		}
		r.Estimate = estimator.Estimate(models)
	}
	r.Simulated = s.time(r, outcomes)
	r.Final = scorer.final(finals)
	r.Final.MeanModel = scorer.meanModel(means)
	for k := range outcomes[0].scores {
		at := make([]score, len(outcomes))
		for i, o := range outcomes {
			at[i] = o.scores[k]
		}
		r.Curve = append(r.Curve, point(at))
	}
	return r, nil
}

// time returns the mean duration of the trials by the spec's latency. It returns nil if the spec gives none.
func (s *Priced) time(r *report.Result, outcomes []outcome) *report.Seconds {
	timed, ok := s.Algorithm.(family.Timed)
	if !ok {
		return nil
	}
	var mean report.Seconds
	for i, o := range outcomes {
		t := timed.Time(o.seed)
		if t == nil {
			return nil
		}
		one := report.Seconds{Seconds: report.Number(t.Seconds), Serial: report.Number(t.Serial)}
		r.Trials[i].Simulated = &one
		mean.Seconds += one.Seconds / report.Number(len(outcomes))
		mean.Serial += one.Serial / report.Number(len(outcomes))
	}
	return &mean
}

// final returns the mean of some scores.
func (s *scorer) final(of []score) report.Final {
	p := point(of)
	f := report.Final{TrainLoss: p.TrainLoss.Mean, TestLoss: p.TestLoss.Mean, Penalty: p.Penalty.Mean, Shown: s.Spec.Privacy.Release == "final"}
	if s.Guarantees.Classifies() && s.Test.Len() > 0 {
		accuracy := float64(p.TestAccuracy.Mean)
		f.TestAccuracy = &accuracy
	}
	if s.OwnModels {
		apart := p.Consensus.Mean
		f.Consensus, f.Scored = &apart, s.scored
		if apart == 0 && s.scored == report.ScoredMean && s.Spec.Algorithm.Average == "none" {
			f.Scored = report.ScoredOwn // each has the mean of them
		}
	}
	if s.weights != nil {
		f.Objective = &p.Objective.Mean
	}
	if name := s.Objective.Name(); of[0].full == nil || name == (model.Mean{}).Name() || name == (model.Histogram{}).Name() || s.Spec.External() && of[0].full.classified.Confusion == nil { // whose program does not say more
		return f
	}
	if !s.Guarantees.Classifies() {
		f.Regression = s.regression(of)
	} else if s.Test.Len() > 0 {
		f.Classification = s.classification(of)
	}
	return f
}

// meanModel returns the mean of some scores of the nodes' mean model. It returns nil for none.
func (s *scorer) meanModel(of []score) *report.MeanModel {
	if len(of) == 0 {
		return nil
	}
	f := s.final(of)
	return &report.MeanModel{TrainLoss: f.TrainLoss, TestLoss: f.TestLoss, TestAccuracy: f.TestAccuracy, Seen: f.Shown}
}

// classification returns the mean confusion and accuracies over the trials.
func (s *scorer) classification(of []score) *report.Classification {
	classes, names := len(of[0].full.classified.Confusion), s.Federation.Classes
	if s.Spec.External() {
		names = numbered(classes)
	}
	c := &report.Classification{Classes: names, Confusion: make(report.List[report.Vector], classes)}
	mean := func(value func(model.Classified) float64) report.Number {
		return spreadOf(of, func(sc score) float64 { return value(sc.full.classified) }).Mean
	}
	for i := range classes {
		c.Confusion[i] = make(report.Vector, classes)
		for j := range classes {
			c.Confusion[i][j] = float64(mean(func(m model.Classified) float64 { return float64(m.Confusion[i][j]) }))
		}
		c.Majority = max(c.Majority, mean(func(m model.Classified) float64 { return m.Share(i) }))
	}
	c.BaseRate = report.Number(math.NaN())
	if classes == 2 {
		if !s.Spec.External() { // whose program decides
			c.Threshold = 0.5
		}
		c.BaseRate = mean(func(m model.Classified) float64 { return m.Share(1) })
		c.Majority = max(c.BaseRate, 1-c.BaseRate)
	}
	c.Balanced, c.AUC = mean(model.Classified.Balanced), mean(func(m model.Classified) float64 { return m.AUC })
	return c
}

// numbered returns the names of classes that a program numbers.
func numbered(classes int) []string {
	names := make([]string, classes)
	for k := range names {
		names[k] = strconv.Itoa(k)
	}
	return names
}

// regression returns the mean errors over the trials, in the label's
// own unit.
func (s *scorer) regression(of []score) *report.Regression {
	unit := s.labelUnit()
	mean := func(value func(*fullScore) float64) report.Number {
		return report.Number(unit) * spreadOf(of, func(sc score) float64 { return value(sc.full) }).Mean
	}
	r := &report.Regression{
		Label: s.Federation.Target, TrainRMSE: mean(func(f *fullScore) float64 { return f.train.RMSE }),
		TestRMSE: mean(func(f *fullScore) float64 { return f.test.RMSE }), TestMAE: mean(func(f *fullScore) float64 { return f.test.MAE }),
		MeanRMSE: report.Number(unit * s.meanRMSE()),
	}
	r.R2 = 1 - report.Number((r.TestRMSE/r.MeanRMSE)*(r.TestRMSE/r.MeanRMSE))
	return r
}

// labelUnit returns the size of one unit of the scaled label in the label's own unit.
func (s *scorer) labelUnit() float64 {
	if l := s.Federation.Label; l != nil && l.Factor != 0 {
		return 1 / math.Abs(l.Factor)
	}
	return 1
}

// meanRMSE returns the root mean square distance of the test labels from the mean of the training labels.
func (s *scorer) meanRMSE() float64 {
	mean, square := 0.0, 0.0
	for _, y := range s.Train.Y {
		mean += y / float64(s.Train.Len())
	}
	for _, y := range s.Test.Y {
		square += float64((y - mean) * (y - mean))
	}
	return math.Sqrt(square / float64(s.Test.Len()))
}

// point summarises the scores of all trials at one step.
func point(of []score) report.Point {
	return report.Point{
		Step:         of[0].step,
		TrainLoss:    spreadOf(of, func(s score) float64 { return s.trainLoss }),
		TestLoss:     spreadOf(of, func(s score) float64 { return s.testLoss }),
		TestAccuracy: spreadOf(of, func(s score) float64 { return s.accuracy }),
		Objective:    spreadOf(of, func(s score) float64 { return s.objective }),
		Penalty:      spreadOf(of, func(s score) float64 { return s.penalty }),
		Consensus:    spreadOf(of, func(s score) float64 { return s.apart }),
	}
}

func spreadOf(of []score, value func(score) float64) report.Spread {
	var mean, square float64
	low, high := math.Inf(1), math.Inf(-1)
	for i, s := range of {
		x := value(s)
		delta := x - mean
		mean += delta / float64(i+1)
		square += float64(delta * (x - mean))
		low, high = math.Min(low, x), math.Max(high, x)
	}
	std := math.Sqrt(square / math.Max(1, float64(len(of)-1)))
	return report.Spread{Mean: report.Number(mean), Std: report.Number(std), Min: report.Number(low), Max: report.Number(high)}
}

func (s *Priced) privacy() report.Privacy {
	p := report.Privacy{
		Accounted: s.Accounting.Accounts[0].Accounted, Calibrated: s.Spec.Privacy.Calibrate != nil, Sigma: s.Accounting.Sigma, Noise: s.Spec.Kind().Noise,
		NoiseStd: s.Algorithm.Local().Noise.Std(), Fresh: family.Fresh(s.Algorithm), Clip: s.Algorithm.Local().Noise.Clip, Metric: s.Spec.Privacy.Metric.String(),
		Delta: s.Spec.Privacy.Metric.Delta, Order: s.Spec.Privacy.Metric.Order,
		Sender: s.Spec.Privacy.Sender, Simulated: true, Unit: string(s.Unit()), RecordName: s.Spec.Privacy.RecordName, PersonRows: s.Spec.Data.RowsPerPerson,
		Coalition: s.Accounting.Coalition, Public: s.Accounting.Public, Brackets: s.brackets(), Nodes: s.nodes(),
		BeginsWith: s.Spec.Model.Earlier.Runs(),
	}
	p.Limits = s.Limits(p.Nodes)
	for _, a := range s.Accounting.Accounts[1:] {
		p.Others = append(p.Others, a.Accounted)
	}
	return p
}

// Limits returns the limits of nodes' own, with their losses by losses, which may be nil.
func (s *Priced) Limits(losses *report.NodeLosses) (all []report.Limit) {
	noise := s.Algorithm.Local().Noise
	for _, name := range s.Spec.Privacy.Limited() {
		u, err := s.Find(name)
		if err != nil {
			panic("experiment: " + err.Error()) // the algorithm has found it
		}
		clip := noise.ClipOf(step.NodeID(u))
		l := report.Limit{Node: u, Name: s.Name(u), Clip: clip, Share: clip / noise.Clip, Asked: s.Spec.Privacy.Limits[name].Eps, Loses: report.Number(math.NaN())}
		if losses != nil {
			l.Loses = losses.Each[u].Loses
		}
		all = append(all, l)
	}
	return all
}

// losses returns every account's pairs.
func (s *Priced) losses() []*report.Losses {
	var all []*report.Losses
	for _, a := range s.Accounting.Accounts {
		all = append(all, s.lossesOf(&a))
	}
	return all
}

// lossesOf returns one account's pairs.
func (s *Priced) lossesOf(a *family.Account) *report.Losses {
	var also []report.AlsoLosses
	for _, r := range a.Restated {
		also = append(also, report.AlsoLosses{Restated: r.Restated, At: r.At})
	}
	return &report.Losses{Accountant: a.Accountant, Status: a.Status, N: s.Spec.Nodes, Partial: a.Partial(), Also: also, At: func(u, v int) float64 {
		if u == v {
			return 0
		}
		return a.At(u, v)
	}}
}

// nodes returns the losses of each node, by the account that a reader should go by. It returns nil
// if there are too many pairs to look at.
func (s *Priced) nodes() *report.NodeLosses {
	n := s.Spec.Nodes
	if n < 2 || n > family.PairLimit {
		return nil
	}
	return report.NewNodeLosses(s.lossesOf(s.Accounting.Leading()), s.Name)
}

// beyondTarget says that the spec's largest loss is for single observers, where coalitions may lead to more. It returns "" where
// they do not, and where no largest loss was asked for.
func (s *Priced) beyondTarget() string {
	c := s.Accounting.Coalition
	target, err := s.Target()
	if c == nil || err != nil || !target.IsMax() || float64(c.Max) <= target.Limits[0].Loss*(1+1e-9) {
		return ""
	}
	return fmt.Sprintf("privacy.calibrate keeps the loss towards any single node at %g or less. Any %d nodes together may learn more, at most %s (%s). A smaller max leaves less to both.",
		target.Limits[0].Loss, c.Size, report.Loss(float64(c.Max), c.Status), c.Status)
}

// notes returns the facts that a reader must know before believing the result.
func (s *Priced) notes() []string {
	notes := append(append([]string{}, s.Federation.Notes...), s.Algorithm.Notes()...)
	if note := s.partnersNote(); note != "" {
		notes = append(notes, note)
	}
	if s.Accounting.Why != "" {
		notes = append(notes, s.Accounting.Why)
	}
	if note := s.Note(); note != "" {
		notes = append(notes, "Graph: "+note+".")
	}
	if note := visible.AlikeNote(s.Names()); note != "" {
		notes = append(notes, note)
	}
	if note := family.EarlierNote(s.Spec); note != "" {
		notes = append(notes, note)
	}
	if note := s.WeightNote(); note != "" {
		notes = append(notes, note)
	}
	if note := curveNote(glanceRows(s.Algorithm), s.Train.Len(), s.Test.Len()); note != "" {
		notes = append(notes, note)
	}
	if p := (&report.Privacy{Nodes: s.nodes()}); len(s.Spec.Privacy.Limits) > 0 {
		p.Limits = s.Limits(p.Nodes)
		notes = append(notes, p.LimitsNote())
	}
	if note := s.beyondTarget(); note != "" {
		notes = append(notes, note)
	}
	for _, a := range s.Accounting.Accounts {
		if a.Estimated() {
			notes = append(notes, fmt.Sprintf("The mean loss of the %s accountant is an estimate from a sample of pairs: each computed loss is a bound, the mean is not. It is inside the interval beside it but for one sample in twenty.", a.Accountant))
		}
	}
	for _, a := range s.Accounting.Accounts {
		if a.Unpriced > 0 {
			notes = append(notes, fmt.Sprintf("The %s accountant did not price %d of %d pairs, and says nothing of each of these; its maximum holds of them too, by the local loss.",
				a.Accountant, a.Unpriced, s.Spec.Nodes*(s.Spec.Nodes-1)))
		}
	}
	if s.Accounting.Sigma == 0 {
		return append(notes, "No noise was added: this run protects nobody.")
	}
	notes = append(notes, "The noise was simulated from a seed: it shows what a run costs and learns, and protects nobody.")
	switch s.Accounting.Accounts[0].Status {
	case report.Sound:
	case report.SoundIf:
		notes = append(notes, "Sigma goes with a loss that holds if what is asserted is true, which nobody has checked. Use the sound loss to decide anything.")
	default:
		notes = append(notes, "Sigma was calibrated on a published formula, which is not a proven bound. Use the sound loss to decide anything.")
	}
	return notes
}

// curveNote says on how many rows curves are scored. It returns "" if it is all.
func curveNote(limit, train, test int) string {
	if max(train, test) <= limit {
		return ""
	}
	return fmt.Sprintf("Curves are scored on %d of %d training and %d of %d test rows, the same ones at every step, except for the last point, "+
		"which is the result and on all rows. Where report.every is larger they are more, up to %d.",
		thinned(train, limit), train, thinned(test, limit), test, mostGlanced)
}
