package rehearse

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/spec"
)

// Options are what a rehearsal takes besides the spec.
type Options struct {
	Trials       int               // in each world; 0: as many as time allows, 20 at most
	Files        map[string]string // CSV files of some participants, by name
	Pool         string            // one CSV file, shared out to all; ""
	Rows         int               // of a participant of whom the spec does not say; 0: 100
	Difficulties []string          // of made-up rows; none: all
	Policies     []PolicyFile
	LeastGain    float64       // what is worth joining for: balanced accuracy, or a share of the error alone; 0: a hundredth
	Latency      time.Duration // of a message; 0: 50 ms
	Everybody    bool          // all are scored on the rows that all participants keep for testing, not each on its own
	Say          func(what string)
	Progress     func(done, total int) // trials
}

// A Rehearsal is what came of it.
type Rehearsal struct {
	Name         string        `json:"name"`
	Kind         string        `json:"kind"`
	Story        string        `json:"story"`
	Spec         any           `json:"spec"`
	Hash         string        `json:"spec_hash,omitempty"` // of a federation, which its nodes compare
	Version      string        `json:"version"`
	Federated    bool          `json:"federated"`
	Participants int           `json:"participants"`
	Measure      Measure       `json:"measure"`
	Trials       int           `json:"trials"` // in each world
	Confidence   float64       `json:"confidence"`
	Rule         string        `json:"rule"`
	Summary      string        `json:"summary"`
	Verdicts     []Verdict     `json:"verdicts"`
	Worlds       []WorldResult `json:"worlds"`
	Privacy      Privacy       `json:"privacy"`
	Policies     []Consent     `json:"policies"`
	Cost         Cost          `json:"cost"`
	Notes        []string      `json:"notes"`

	everybody bool
}

// WorldResult is what came of the trials in one world.
type WorldResult struct {
	World
	Participants []Standing `json:"participants"` // those that were looked at
}

// Standing is how a participant stands, on rows that nobody learns from.
type Standing struct {
	Name   string `json:"name"`
	Rows   string `json:"rows"` // where they come from
	Learnt int    `json:"learnt_from"`
	Tested int    `json:"tested_on"`
	Joined Spread `json:"joined"`
	Alone  Spread `json:"alone"`         // the same loss on its own rows, without noise
	Quiet  Spread `json:"without_noise"` // the very run without noise
	Pooled Spread `json:"pooled"`        // the same loss on everybody's rows in one place, without noise
	Gain   Gain   `json:"gain"`
	// Above is what the joined model is above an answer that looks at no feature; null where nothing is told from anything.
	Above   *Gain `json:"above_nothing,omitempty"`
	Rare    *Rare `json:"rare,omitempty"` // of classifiers
	onlyOwn bool
}

// Rare is how models do on the rarest class of the rows that a participant is tested on, means over trials.
type Rare struct {
	Class    string        `json:"class"`
	Rows     report.Number `json:"rows"`     // of that class
	Majority report.Number `json:"majority"` // share of rows for which always answering the most frequent class is right
	Joined   Told          `json:"joined"`
	Alone    Told          `json:"alone"`
}

// Most participants that are looked at, evenly spaced; the most trials unasked; and about how
// many multiplications a rehearsal may take unasked, a minute or so.
const (
	mostLooked  = 64
	usualTrials = 20
	leastTrials = 3
	usualWork   = 4e10
	usualAsked  = 1e6 // the same in gradients of a program's
	iterations  = 300 // of training alone, as in a run's comparison
)

// usualGain is the least gain: a point of accuracy, or a hundredth of the error alone.
const usualGain = 0.01

// Run rehearses a spec.
func Run(ctx context.Context, s *spec.Spec, o Options) (*Rehearsal, error) {
	if o.Say == nil {
		o.Say = func(string) {}
	}
	v, err := open(ctx, s, &o)
	if err != nil {
		return nil, err
	}
	p := v.public()
	plain, err := experiment.RelativeTo(p.Spec, "").Plain()
	if err != nil {
		return nil, err
	}
	r := &Rehearsal{Name: p.Spec.Title(), Kind: p.Spec.Algorithm.Kind, Story: p.Spec.Story(), Spec: plain, Version: experiment.Version(), Federated: p.Spec.Federated(),
		Participants: p.Spec.Nodes, Measure: measureOf(p), Confidence: Confidence, everybody: o.Everybody}
	least := cmp.Or(o.LeastGain, usualGain)
	r.Rule = r.rule(least)
	looked := spaced(p.Spec.Nodes, mostLooked)
	if err := r.trials(ctx, v, &o, looked, least); err != nil {
		return nil, err
	}
	if err := r.consider(ctx, v, &o, looked); err != nil {
		return nil, err
	}
	for i, u := range looked {
		r.Verdicts = append(r.Verdicts, r.verdict(i, r.refusal(v.names()[u]), r.Worlds[0].Participants[i].onlyOwn))
	}
	r.Summary, r.Notes = r.summed(), append(r.Notes, r.say(v)...)
	return r, nil
}

// rule says how answers are found.
func (r *Rehearsal) rule(least float64) string {
	unit, first := fmt.Sprintf("%.3g points of %s", 100*least, r.Measure.Name), ""
	if !r.Measure.Share {
		unit = fmt.Sprintf("%.3g %% of the error alone", 100*least)
	}
	if !r.Measure.Counts {
		first = "First of all, the joined model must be above an answer that looks at no feature, by the whole interval of its own: else the answer is no. "
	}
	return first + fmt.Sprintf("Yes: the whole %.0f %% interval of the mean gain over trials (Student's, on the same rows with and without joining) is above %s, whatever rows are like. "+
		"No: all of it is below, or the participant's own policy refuses. Else it is not clear.", 100*Confidence, unit)
}

// open makes the venue of a spec.
func open(ctx context.Context, s *spec.Spec, o *Options) (venue, error) {
	if s.Federated() {
		o.Say("reading the federation")
		return newFederated(ctx, s, o)
	}
	if len(o.Files) > 0 || o.Pool != "" || len(o.Policies) > 0 || len(o.Difficulties) > 0 || o.Rows > 0 {
		return nil, fault.New("the spec lists no participants: its data are its own, and nobody has a policy", "leave --data, --rows, --difficulty and --policy out; data.path=FILE with --set names other data")
	}
	p, err := experiment.Prepare(ctx, s, o.Say)
	if err != nil {
		return nil, err
	}
	return newSimulated(p), nil
}

// spaced are up to most of n, evenly spaced.
func spaced(n, most int) []int {
	all := make([]int, min(n, most))
	for i := range all {
		all[i] = i * n / len(all)
	}
	return all
}

// trials runs all trials in all worlds.
func (r *Rehearsal) trials(ctx context.Context, v venue, o *Options, looked []int, least float64) error {
	worlds := v.worlds()
	r.Trials = r.affordable(v, o, len(worlds), len(looked))
	o.Say(fmt.Sprintf("rehearsing: %d trials in each of %d worlds", r.Trials, len(worlds)))
	var lock sync.Mutex
	done, total := 0, r.Trials*len(worlds)
	found := make([]*outing, total)
	err := sim.Each(ctx, total, runtime.GOMAXPROCS(0), func(ctx context.Context, i int) (err error) {
		if found[i], err = r.outing(ctx, v, i/r.Trials, i%r.Trials, looked); err != nil {
			return err
		}
		lock.Lock()
		defer lock.Unlock()
		if done++; o.Progress != nil {
			o.Progress(done, total)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for k, w := range worlds {
		result := WorldResult{World: w}
		for i, u := range looked {
			result.Participants = append(result.Participants, r.standing(v, u, i, found[k*r.Trials:(k+1)*r.Trials], least))
		}
		r.Worlds = append(r.Worlds, result)
	}
	return nil
}

// affordable is how many trials there are.
func (r *Rehearsal) affordable(v venue, o *Options, worlds, looked int) int {
	if o.Trials > 0 {
		return o.Trials
	}
	p := v.public()
	rows, params := float64(p.Train.Len()), float64(p.Algorithm.Local().Params)
	if f, ok := v.(*federated); ok {
		rows = 0
		for _, n := range f.declared {
			rows += float64(n)
		}
	}
	each := float64(2*p.Algorithm.Work()) + float64(iterations*params*rows*(1+float64(looked)/float64(p.Spec.Nodes)))
	most := usualWork
	if p.Spec.External() {
		most = usualAsked * params
	}
	trials := int(max(leastTrials, min(usualTrials, most/(each*float64(worlds)))))
	if trials < usualTrials {
		r.Notes = append(r.Notes, fmt.Sprintf("There are %d trials: more would take long (--trials asks for them).", trials))
	}
	return trials
}

// An outing is the scores of one trial, of each participant that is looked at.
type outing struct {
	joined, alone, quiet, pooled, nothing []float64
	learnt, tested                        []int
	rare                                  []Rare // of classifiers
}

// outing runs one trial.
func (r *Rehearsal) outing(ctx context.Context, v venue, world, trial int, looked []int) (*outing, error) {
	round, err := v.round(ctx, world, trial)
	if err != nil {
		return nil, err
	}
	if r.everybody {
		round.together()
	}
	s := newScorer(r.Measure, round)
	quiet, err := round.run.Quiet()
	if err != nil {
		return nil, err
	}
	out := &outing{}
	for _, side := range []struct {
		run  *experiment.Priced
		into *[]float64
	}{{round.run, &out.joined}, {quiet, &out.quiet}} {
		ends, err := side.run.Ends(ctx, round.seed)
		if err != nil {
			return nil, err
		}
		for _, u := range looked {
			theta := ends[min(u, len(ends)-1)]
			if !finite(theta) {
				return nil, fault.New(fmt.Sprintf("the model diverged: that of %s has no score", v.names()[u]), "use a smaller step size, or a projection radius")
			}
			*side.into = append(*side.into, s.of(u, theta))
			if side.into == &out.joined {
				out.nothing = append(out.nothing, s.nothing(u))
				if r.Measure.Classes > 0 {
					out.rare = append(out.rare, s.rare(u, theta))
				}
			}
		}
	}
	o, begin := round.run.Objective, round.run.Algorithm.Local().Begin()
	var all []float64
	if !r.Measure.Counts {
		all = o.Minimise(round.run.Train, begin, iterations)
	}
	for i, u := range looked {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		out.learnt, out.tested = append(out.learnt, round.train[u].Len()), append(out.tested, s.tests[u].Len())
		out.alone, out.pooled = append(out.alone, math.NaN()), append(out.pooled, 0)
		if round.train[u].Len() > 0 {
			own := o.Minimise(round.train[u], begin, iterations)
			if out.alone[i] = s.of(u, own); out.rare != nil {
				out.rare[i].Alone = s.told(u, own)
			}
		}
		if all != nil {
			out.pooled[i] = s.of(u, all)
		}
	}
	if external, outside := o.Model.(model.External); outside {
		return out, external.Program.Err()
	}
	return out, nil
}

// finite tells a model from one that diverged.
func finite(theta []float64) bool {
	for _, x := range theta {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return false
		}
	}
	return true
}

// standing sums up the trials of one participant in one world.
func (r *Rehearsal) standing(v venue, u, i int, of []*outing, least float64) Standing {
	values := func(get func(*outing) []float64) (all []float64) {
		for _, o := range of {
			all = append(all, get(o)[i])
		}
		return all
	}
	joined, alone := values(func(o *outing) []float64 { return o.joined }), values(func(o *outing) []float64 { return o.alone })
	s := Standing{Name: v.names()[u], Rows: v.rows(u), Learnt: of[0].learnt[i], Tested: of[0].tested[i], Joined: spreadOf(joined), Alone: spreadOf(alone),
		Quiet: spreadOf(values(func(o *outing) []float64 { return o.quiet })), Pooled: spreadOf(values(func(o *outing) []float64 { return o.pooled }))}
	if f, ok := v.(*federated); ok {
		s.onlyOwn = f.files[u] != "" && len(f.files) < len(f.declared)
	}
	gains := make([]float64, len(joined))
	for t := range gains {
		if gains[t] = joined[t] - alone[t]; !r.Measure.Rising {
			gains[t] = -gains[t]
		}
	}
	if !r.Measure.Share {
		least *= float64(s.Alone.Mean)
	}
	s.Gain = judge(gains, least)
	r.above(&s, joined, values(func(o *outing) []float64 { return o.nothing }))
	if r.Measure.Classes > 0 {
		s.Rare = meanRare(of, i)
	}
	return s
}

// above holds the joined model against an answer that looks at no feature: without being above that it is no gain to
// anybody, whatever it is beside own rows alone.
func (r *Rehearsal) above(s *Standing, joined, nothing []float64) {
	above := make([]float64, len(joined))
	for t := range above {
		if above[t] = joined[t] - nothing[t]; !r.Measure.Rising {
			above[t] = -above[t]
		}
	}
	g := judge(above, 0)
	if math.IsNaN(float64(g.Mean)) {
		if r.Measure.Blind && s.Gain.Answer == Yes {
			s.Gain.Answer = NotClear
		}
		return
	}
	near := nearNothing
	if !r.Measure.Share {
		near *= float64(s.Joined.Mean)
	}
	switch {
	case g.Low > 0:
	case float64(g.High) <= near || len(joined) == 1 && float64(g.Mean) <= 0:
		s.Gain.Answer = No
	case s.Gain.Answer == Yes:
		s.Gain.Answer = NotClear
	}
	s.Above = &g
}

// nearNothing is how far above an answer that looks at no feature a model may be, by the whole interval, that is called
// no better: points of balanced accuracy, or a share of the error.
const nearNothing = 0.05

// tellsNothing reports whether the joined model is no better than an answer that looks at no feature.
func (s *Standing) tellsNothing() bool {
	return s.Above != nil && !(s.Above.Low > 0) && s.Gain.Answer == No
}

// meanRare is the mean over trials.
func meanRare(of []*outing, i int) *Rare {
	mean := &Rare{Class: of[0].rare[i].Class}
	n := report.Number(len(of))
	for _, o := range of {
		x := o.rare[i]
		mean.Rows, mean.Majority = mean.Rows+x.Rows/n, mean.Majority+x.Majority/n
		for _, side := range []struct{ into, of *Told }{{&mean.Joined, &x.Joined}, {&mean.Alone, &x.Alone}} {
			side.into.Accuracy, side.into.AUC, side.into.Found = side.into.Accuracy+side.of.Accuracy/n, side.into.AUC+side.of.AUC/n, side.into.Found+side.of.Found/n
		}
	}
	return mean
}

// say is what a reader must know before believing the answers.
func (r *Rehearsal) say(v venue) []string {
	p := v.public()
	notes := append([]string{}, v.notes()...)
	if r.everybody && r.Federated {
		notes = append(notes, "All are scored on the test rows of all participants together (--score all): what a model is worth to somebody else's rows too.")
	}
	if r.Measure.Counts {
		notes = append(notes, "This kind learns no rule: what is compared is how far "+r.Measure.Name[len("error of "):]+" is from the truth. Alone: what own rows would be taken to say of all; pooled: exact.")
	} else {
		notes = append(notes, fmt.Sprintf("Alone and pooled minimise the mean loss and the penalty of the spec, unclipped, by %d steps of gradient descent, without noise.", iterations))
	}
	if note := p.WeightNote(); note != "" {
		notes = append(notes, note)
	}
	if r.Measure.Classes > 0 {
		notes = append(notes, "Accuracy is not what models are compared by: where a class is rare, always answering the other one is right nearly always. Balanced accuracy is the mean share found of each class. "+
			"Who keeps no test row of some class is scored on the test rows of all.")
	}
	if r.Measure.Blind {
		notes = append(notes, "The program does not say how many rows of each class are told to be of which (confusion, docs/MODELS.md), or some class has no test row: nobody knows what an answer that looks at nothing would reach, and no gain counts as a yes.")
	}
	if r.Federated && p.Spec.Privacy.Release != "final" && !p.Algorithm.Scoring().OwnModels {
		notes = append(notes, "privacy.release is none: the last model is shown to nobody but its last holder, and the scores of all others are of a model that they are not given. release: final shows it to all, and is charged.")
	}
	notes = append(notes, "Noise of a rehearsal is simulated from a seed: it shows what the run is worth, and protects nobody. Scores on given rows are statistics of these: keep them to yourself.")
	if p.Algorithm.Scoring().OwnModels {
		return append(notes, "Every participant ends with a model of its own, and is scored by it.") // an algorithm's notes are about the mean of these
	}
	return append(notes, p.Algorithm.Notes()...)
}
