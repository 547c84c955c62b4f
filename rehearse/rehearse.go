package rehearse

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/spread"
	"github.com/hearsay-dp/hearsay/internal/textfile"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/spec"
)

// Options configure a rehearsal.
type Options struct {
	Trials       int               // in each world; 0: as many as the work limit allows, at most 20
	Written      textfile.Notation // notation of Files and Pool, if it differs from the spec's
	Files        map[string]string // CSV files of some participants, by name
	Pool         string            // one CSV file that is distributed to all; "": none
	Rows         int               // rows of a participant without a declared number; 0: 100
	Difficulties []string          // of made-up rows; empty: all
	Policies     []PolicyFile
	LeastGain    float64       // least worthwhile gain: balanced accuracy, or a share of the error alone; 0: a hundredth
	Latency      time.Duration // of a message; 0: 50 ms
	// WhatWouldHelp requests further rehearsals if no participant gains.
	WhatWouldHelp bool
	Everybody     bool // score everyone on the test rows of all participants, not on its own
	Say           func(what string)
	Progress      func(done, total int) // trials
}

// A Rehearsal is the result of a rehearsal.
type Rehearsal struct {
	Name         string        `json:"name"`
	Kind         string        `json:"kind"`
	Story        string        `json:"story"`
	Spec         any           `json:"spec"`
	Hash         string        `json:"spec_hash,omitempty"` // of a federation; its nodes compare it
	Version      string        `json:"version"`
	Federated    bool          `json:"federated"`
	Participants int           `json:"participants"`
	Measure      Measure       `json:"measure"`
	Trials       int           `json:"trials"` // in each world
	Confidence   float64       `json:"confidence"`
	Rule         string        `json:"rule"`
	Summary      string        `json:"summary"`
	Verdicts     []Verdict     `json:"verdicts"`
	Help         []Help        `json:"what_would_help,omitempty"` // if requested and no participant gains
	Helping      string        `json:"help,omitempty"`            // changes that would help, in words, if no participant gains
	Worlds       []WorldResult `json:"worlds"`
	Privacy      Privacy       `json:"privacy"`
	Policies     []Consent     `json:"policies"`
	Cost         Cost          `json:"cost"`
	Notes        []string      `json:"notes"`

	everybody bool
	choosing  int // trials of each world in which penalties are chosen; 0: alone uses the spec's penalty and there is no fit at home
}

// WorldResult holds the results of the trials in one world.
type WorldResult struct {
	World
	Participants []Standing `json:"participants"` // the examined ones
}

// Standing holds the scores of a participant on rows that are not used for training.
type Standing struct {
	Name   string `json:"name"`
	Rows   string `json:"rows"` // their source
	Learnt int    `json:"learnt_from"`
	Tested int    `json:"tested_on"`
	Joined Spread `json:"joined"`
	Alone  Spread `json:"alone"`         // same loss on its own rows, without noise, with a penalty tuned on them
	Quiet  Spread `json:"without_noise"` // the same run without noise
	Pooled Spread `json:"pooled"`        // same loss on all rows in one place, without noise
	Gain   Gain   `json:"gain"`          // of joined over alone
	// Home is the joined model after a last step on own rows, which stays private. HomeGain is its gain over alone.
	// Both are null if not computed.
	Home     *Spread `json:"at_home,omitempty"`
	HomeGain *Gain   `json:"gain_at_home,omitempty"`
	// Above is the gain of the joined model over a constant prediction. It is null if there is no such prediction.
	Above   *Gain `json:"above_nothing,omitempty"`
	Rare    *Rare `json:"rare,omitempty"` // of classifiers
	onlyOwn bool
}

// Rare holds scores on the rarest class of a participant's test rows, as means over trials.
type Rare struct {
	Class    string        `json:"class"`
	Rows     report.Number `json:"rows"`     // of that class
	Majority report.Number `json:"majority"` // accuracy of always predicting the most frequent class
	Joined   Told          `json:"joined"`
	Alone    Told          `json:"alone"`
	Home     Told          `json:"at_home"` // null if not computed
}

// Limits of a rehearsal. mostLooked bounds the examined participants, which are evenly spaced. usualTrials and
// usualWork bound the trials and the multiplications of a rehearsal whose number of trials is not given, about a
// minute.
const (
	mostLooked  = 64
	usualTrials = 20
	leastTrials = 3
	usualWork   = 4e10
	usualAsked  = 1e6  // the same in gradients of an external program
	iterations  = 300  // of training alone, as in a run's comparison
	usualChoice = 2e11 // the same for choosing penalties, where each row adds the time of rowWork multiplications
	rowWork     = 50
)

// usualGain is the default least gain: a point of accuracy, or a hundredth of the error alone.
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
		Participants: p.Spec.Nodes, Measure: measureOf(p), everybody: o.Everybody}
	least := cmp.Or(o.LeastGain, usualGain)
	looked := spaced(p.Spec.Nodes, mostLooked)
	if err := r.trials(ctx, v, &o, looked, least); err != nil {
		return nil, err
	}
	r.Confidence = 1 - (1-Confidence)/float64(r.sides())
	r.Rule = r.rule(least)
	if err := r.consider(ctx, v, &o, looked); err != nil {
		return nil, err
	}
	for i, u := range looked {
		r.Verdicts = append(r.Verdicts, r.verdict(i, r.refusal(v.names()[u]), r.Worlds[0].Participants[i].onlyOwn))
	}
	r.Summary, r.Notes = r.summed(), append(r.Notes, r.say(v)...)
	if r.count(Yes) == 0 && !r.Measure.Counts {
		if o.WhatWouldHelp {
			if err := r.help(ctx, s, &o); err != nil {
				return nil, err
			}
		}
		r.Helping = r.helped(o.WhatWouldHelp)
	}
	return r, nil
}

// sides returns the number of models of which the better answer counts: joined, and at home if it is fitted.
func (r *Rehearsal) sides() int {
	if r.choosing > 0 {
		return 2
	}
	return 1
}

// rule describes how the answers are decided.
func (r *Rehearsal) rule(least float64) string {
	unit, first := fmt.Sprintf("%.3g points of %s", 100*least, r.Measure.Name), ""
	if !r.Measure.Share {
		unit = fmt.Sprintf("%.3g %% of the error alone", 100*least)
	}
	if r.choosing > 0 {
		first = "What is gained is so over own rows alone with a tuned penalty, by the joined model or by what a last step at home makes of it: the better of both answers counts, and the intervals of both hold together at 95 %. "
	}
	if !r.Measure.Counts {
		first += "First of all, the model must be above an answer that looks at no feature, by the whole interval of its own: else the answer is no. "
	}
	return strings.TrimSpace(first + fmt.Sprintf("Yes: the whole %.3g %% interval of the mean gain over trials (Student's, on the same rows with and without joining) is above %s, whatever rows are like. "+
		"No: all of it is below, or the participant's own policy refuses. Else it is not clear. %s", 100*r.Confidence, unit, spread.Caution(r.Trials, r.sides())))
}

// open returns the venue of a spec.
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

// spaced returns up to most of the numbers below n, evenly spaced.
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
	r.choosing = r.affordableChoices(v, len(worlds), len(looked))
	o.Say(fmt.Sprintf("rehearsing: %d trials in each of %d worlds", r.Trials, len(worlds)))
	var lock sync.Mutex
	done, total := 0, r.Trials*len(worlds)
	found := make([]*outing, total)
	each := func(from, to int) error { // trials of each world
		return sim.Each(ctx, (to-from)*len(worlds), runtime.GOMAXPROCS(0), func(ctx context.Context, i int) (err error) {
			world, trial := i/(to-from), from+i%(to-from)
			var chosen *outing
			if r.choosing > 0 && trial >= r.choosing {
				chosen = found[world*r.Trials+trial%r.choosing]
			}
			if found[world*r.Trials+trial], err = r.outing(ctx, v, world, trial, looked, chosen); err != nil {
				return err
			}
			lock.Lock()
			defer lock.Unlock()
			if done++; o.Progress != nil {
				o.Progress(done, total)
			}
			return nil
		})
	}
	if err := each(0, r.choosing); err != nil {
		return err
	}
	if err := each(r.choosing, r.Trials); err != nil {
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

// affordable returns the number of trials.
func (r *Rehearsal) affordable(v venue, o *Options, worlds, looked int) int {
	if o.Trials > 0 {
		return o.Trials
	}
	p := v.public()
	rows, params := rowsOf(v), float64(p.Algorithm.Local().Params)
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

// rowsOf returns the total number of rows of all participants.
func rowsOf(v venue) float64 {
	f, ok := v.(*federated)
	if !ok {
		return float64(v.public().Train.Len())
	}
	rows := 0
	for _, n := range f.declared {
		rows += n
	}
	return float64(rows)
}

// affordableChoices returns the number of trials of each world in which participants choose their penalties: all, as
// many as the work limit allows, or none if there is no fit at home.
func (r *Rehearsal) affordableChoices(v venue, worlds, looked int) int {
	p := v.public()
	_, predicts := p.Objective.Model.(model.Predictor)
	if !predicts || r.Measure.Counts || r.Measure.Blind || p.Spec.External() {
		return 0
	}
	rows := rowsOf(v) * float64(looked) / float64(p.Spec.Nodes)
	each := iterations * model.TunedWork * rows * float64(p.Algorithm.Local().Params+rowWork)
	n := int(min(float64(r.Trials), usualChoice/(each*float64(worlds))))
	switch {
	case n == 0:
		r.Notes = append(r.Notes, "Alone has the penalty of the spec, and nobody fits the joined model at home: choosing penalties by cross-validation would take long.")
	case n < r.Trials:
		r.Notes = append(r.Notes, fmt.Sprintf("Penalties are chosen in %d of the trials in each world, and the others take these choices: choosing takes longest. Intervals then show less of how choices vary. Where rows are given, a choice has then seen rows that other trials test on.", n))
	}
	return n
}

// finite reports whether a model did not diverge.
func finite(theta []float64) bool {
	for _, x := range theta {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return false
		}
	}
	return true
}

// standing summarises the trials of one participant in one world.
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
	if !r.Measure.Share {
		least *= float64(s.Alone.Mean)
	}
	s.Gain = judge(r.over(joined, alone), least, r.sides())
	nothing := values(func(o *outing) []float64 { return o.nothing })
	s.Above = r.above(&s.Gain, s.Joined, joined, nothing)
	if home := values(func(o *outing) []float64 { return o.home }); len(known(home)) > 0 {
		scores, gain := spreadOf(home), judge(r.over(home, alone), least, r.sides())
		r.above(&gain, scores, home, nothing)
		s.Home, s.HomeGain = &scores, &gain
	}
	if r.Measure.Classes > 0 {
		s.Rare = meanRare(of, i)
	}
	return s
}

// over returns the gains of models over others, trial by trial.
func (r *Rehearsal) over(models, others []float64) []float64 {
	gains := make([]float64, len(models))
	for t := range gains {
		if gains[t] = models[t] - others[t]; !r.Measure.Rising {
			gains[t] = -gains[t]
		}
	}
	return gains
}

// above compares models with a constant prediction. A model that is not better is no gain to anyone, whatever its gain
// over own rows alone, so the answer becomes no. If the comparison is not certain a yes becomes not clear. above
// returns the gain over the constant prediction. It returns nil if there is no such prediction.
func (r *Rehearsal) above(gain *Gain, of Spread, models, nothing []float64) *Gain {
	g := judge(r.over(models, nothing), 0, r.sides())
	if math.IsNaN(float64(g.Mean)) {
		if r.Measure.Blind && gain.Answer == Yes {
			gain.Answer = NotClear
		}
		return nil
	}
	near := nearNothing
	if !r.Measure.Share {
		near *= float64(of.Mean)
	}
	switch {
	case g.Low > 0:
	case float64(g.High) <= near || len(models) == 1 && float64(g.Mean) <= 0:
		gain.Answer = No
	case gain.Answer == Yes:
		gain.Answer = NotClear
	}
	return &g
}

// best returns the gain that decides. home is true if it is the gain at home, which decides if its answer is better, or
// if it is equal and its mean is larger.
func (s *Standing) best() (g Gain, home bool) {
	rank := func(g *Gain) int { return slices.Index([]Answer{No, NotClear, Yes}, g.Answer) }
	if h := s.HomeGain; h != nil && (rank(h) > rank(&s.Gain) || rank(h) == rank(&s.Gain) && h.Mean > s.Gain.Mean) {
		return *h, true
	}
	return s.Gain, false
}

// answer returns the answer of the gain that decides.
func (s *Standing) answer() Answer {
	g, _ := s.best()
	return g.Answer
}

// nearNothing is the largest gain over a constant prediction, by the whole interval, at which a model counts as no
// better. It is in points of balanced accuracy, or a share of the error.
const nearNothing = 0.05

// tellsNothing reports whether the joined model is no better than a constant prediction.
func (s *Standing) tellsNothing() bool {
	return s.Above != nil && !(s.Above.Low > 0) && s.answer() == No
}

// meanRare returns the mean over trials.
func meanRare(of []*outing, i int) *Rare {
	mean := &Rare{Class: of[0].rare[i].Class}
	n := report.Number(len(of))
	for _, o := range of {
		x := o.rare[i]
		mean.Rows, mean.Majority = mean.Rows+x.Rows/n, mean.Majority+x.Majority/n
		for _, side := range []struct{ into, of *Told }{{&mean.Joined, &x.Joined}, {&mean.Alone, &x.Alone}, {&mean.Home, &x.Home}} {
			side.into.Accuracy, side.into.AUC, side.into.Found = side.into.Accuracy+side.of.Accuracy/n, side.into.AUC+side.of.AUC/n, side.into.Found+side.of.Found/n
		}
	}
	return mean
}

// say returns the notes that a reader needs to interpret the answers.
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
	if r.choosing > 0 {
		notes = append(notes, "The penalty alone is the one among that of the spec, 0.001, 0.01, 0.1 and 1 that does best in 10-fold cross-validation of own rows. At home a participant fits the joined model to its own rows once more, near it or without it, chosen likewise (hearsay personalise): that model is shown to nobody, so it costs no privacy.")
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
