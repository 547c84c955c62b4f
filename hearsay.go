package hearsay

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/spec"
)

// A Config says which spec to open. Exactly one of File and Text must be set.
type Config struct {
	// File is the path of a spec. Paths inside the spec are relative to its folder.
	File string

	// Text is a spec itself, in YAML. docs/SPEC.md lists its keys.
	Text string

	// Set changes keys of the spec, each as key=value, such as privacy.sigma=2 or
	// algorithm.steps=500. The last of several with one key counts.
	Set []string

	// Edges are the edges of an undirected, connected graph, which takes the place of the graph that
	// the spec names. Nodes are numbered from 0 to the largest number among the edges. nil leaves the
	// spec its graph. The weights are those that the spec's key weights asks for.
	Edges [][2]int
}

// An Experiment is a spec with its graph, data and algorithm. No noise is set yet. Like a Priced, it
// is not changed by its methods, and several goroutines may call them.
type Experiment struct{ opened *experiment.Prepared }

// Open reads a spec, its graph and its data. It returns an error with a hint if a key is unknown or
// a value is out of its range.
func Open(ctx context.Context, c Config) (*Experiment, error) {
	s, err := c.spec()
	if err != nil {
		return nil, err
	}
	var opened *experiment.Prepared
	if c.Edges == nil {
		opened, err = experiment.Open(ctx, s, nil)
	} else {
		var g *graph.Graph
		if g, err = c.graph(); err != nil {
			return nil, err
		}
		opened, err = experiment.OpenOn(ctx, s, g)
	}
	if err != nil {
		return nil, err
	}
	return &Experiment{opened}, nil
}

// ownGraph is the name of a graph that a Config holds.
const ownGraph = "edges of the program"

func (c Config) spec() (*spec.Spec, error) {
	set := c.Set
	if c.Edges != nil {
		set = append([]string{"graph=" + ownGraph}, set...)
	}
	switch {
	case c.File != "" && c.Text == "":
		return experiment.Load(c.File, set...)
	case c.Text != "" && c.File == "":
		return experiment.Parse([]byte(c.Text), "the spec's text", set...)
	}
	return nil, fault.New("Config: exactly one of File and Text must be set", "set File to the path of a spec, or Text to the spec itself")
}

func (c Config) graph() (*graph.Graph, error) {
	n := 0
	for _, e := range c.Edges {
		n = max(n, e[0]+1, e[1]+1)
	}
	return graph.FromEdges(ownGraph, n, c.Edges)
}

// Price sets the noise, as the spec gives it or as its target asks for, and computes the privacy loss
// of every ordered pair of nodes. It trains nothing.
func (e *Experiment) Price(ctx context.Context) (*Priced, error) {
	p, err := e.opened.Price(ctx, nil)
	if err != nil {
		return nil, err
	}
	plan, err := p.Plan()
	if err != nil {
		return nil, err
	}
	priced := &Priced{Sigma: plan.Privacy.Sigma, NoiseStd: plan.Privacy.NoiseStd, Notes: plan.Notes, priced: p}
	for i := range p.Accounting.Accounts {
		priced.Accounts = append(priced.Accounts, newAccount(&p.Accounting.Accounts[i], &plan.Privacy))
	}
	priced.Account = priced.Accounts[0]
	return priced, nil
}

// A Claim holds the conditions under which a privacy loss holds. Every result embeds one.
type Claim struct {
	// Status is Published, Sound, SoundIf or Audit. Only a Sound loss may decide whether to take part.
	Status Status

	// Accountant names the method that computed the loss, such as path or local.
	Accountant string

	// Unit is the protected unit: "participant" (all the data of one participant, replaced by any
	// other) or "record" (one row of one participant, replaced by any other).
	Unit string

	// Towards is the observer: "own messages" (one participant, by the messages that reach it),
	// "all messages" (one participant who sees every message) or "everybody together" (any number of
	// participants who pool every message).
	Towards string

	// CoversModel reports whether the loss also holds if everybody is shown the final model.
	CoversModel bool

	// Metric is the measure of the loss, such as "epsilon at delta 1e-06" or "Renyi at order 2".
	Metric string

	// Assumptions are the sentences that the loss rests on, the unit first, after an assertion that nobody has checked.
	Assumptions []string
}

// A Status says how far a privacy loss can be trusted.
type Status = report.Status

// The statuses. Estimate is the status of a mean over a sample of pairs.
const (
	Published = report.Published
	Sound     = report.Sound
	SoundIf   = report.SoundIf
	Audit     = report.Audit
	Estimate  = report.Estimate
)

// An Account holds the losses of all ordered pairs of nodes by one accountant. +Inf means that nothing
// bounds a loss.
type Account struct {
	Claim
	Mean       float64 // over all pairs
	MeanStatus Status  // of the mean: Status, or Estimate if pairs were sampled
	Max        float64 // of the worst pair

	at func(about, observer int) float64
}

func newAccount(a *family.Account, p *report.Privacy) Account {
	return Account{
		Claim: Claim{Status: a.Status, Accountant: a.Accountant, Unit: p.Unit, Towards: a.Observer, CoversModel: a.ModelCharged, Metric: p.Metric, Assumptions: a.Assumptions},
		Mean:  float64(a.Mean), MeanStatus: cmp.Or(a.MeanStatus, a.Status), Max: float64(a.Max), at: a.At,
	}
}

// At returns the loss of node about towards node observer, in the account's Metric. It returns 0 if
// the two are one node, NaN if the accountant did not price the pair, and +Inf if nothing bounds it.
func (a Account) At(about, observer int) float64 {
	if about == observer {
		return 0
	}
	return a.at(about, observer)
}

// String writes the mean and the largest loss with their Claim. Both are rounded to the side on which
// they stay true.
func (a Account) String() string {
	return fmt.Sprintf("%s: mean %s, max %s (%s)", a.Metric, report.Bound(a.Mean, a.MeanStatus), report.Bound(a.Max, a.Status), a.Claim)
}

// String writes the claim in one line, without Metric and Assumptions.
func (c Claim) String() string {
	model := "the final model is not covered"
	if c.CoversModel {
		model = "the final model is covered"
	}
	return fmt.Sprintf("%s, by %s, per %s, towards %s; %s", c.Status, c.Accountant, c.Unit, c.Towards, model)
}

// A Priced is an Experiment with its noise and its losses. It embeds the Account of the spec's
// accountant, the first of Accounts. With privacy.accountant: sound in the spec this account holds the
// least sound loss of every pair.
type Priced struct {
	Account
	Accounts []Account // of all accountants that price the run, the spec's first
	Sigma    float64   // noise multiplier: standard deviation over sensitivity
	NoiseStd float64   // standard deviation per coordinate of a release
	Notes    []string  // warnings that qualify the numbers

	priced *experiment.Priced
}

// Schedule returns the releases of the run with their recipients and their noise. It is the value that
// was priced, and Run runs it.
func (p *Priced) Schedule() schedule.Schedule { return p.priced.Algorithm.Schedule() }

// Nodes returns the number of nodes.
func (p *Priced) Nodes() int { return p.priced.Spec.Nodes }

// A Pair holds the loss of one node towards one observer, in numbers and in words.
type Pair struct {
	Claim
	About, Observer int
	Loss            float64 // in the Claim's Metric, an epsilon at a delta
	Text            string  // the same in words, for people who are no experts
}

// Pair explains how much node observer learns about node about. Nodes are numbered from 0. The spec's
// accountant computes the loss, or a sound one does if the spec asks for a published formula. The loss
// is an epsilon at the delta of the spec, or at 1e-6 if the spec asks for Renyi losses. Pair returns an
// error if the two are one node, no noise is added, or the algorithm has no pairs.
func (p *Priced) Pair(about, observer int) (*Pair, error) {
	e, err := p.priced.Explain(about, observer)
	if err != nil {
		return nil, err
	}
	pair := &Pair{About: about, Observer: observer, Loss: e.Epsilon, Text: inWords(e.Text)}
	pair.Claim = Claim{
		Status: e.Status, Accountant: e.Accountant, Unit: string(e.Unit), Towards: privacy.OneParticipant.String(),
		Metric: spec.Metric{Delta: e.Delta}.String(), Assumptions: e.Assumptions,
	}
	if account := p.priced.Accounting.Of(e.Accountant); account != nil {
		pair.Towards, pair.CoversModel = account.Observer, account.ModelCharged
	}
	return pair, nil
}

func inWords(text []family.Paragraph) string {
	var b strings.Builder
	for _, p := range text {
		fmt.Fprintf(&b, "%s\n%s\n\n", p.Heading, p.Text)
	}
	return strings.TrimSpace(b.String())
}

// String writes the loss with its Claim, rounded to the side on which it stays true.
func (p *Pair) String() string {
	return fmt.Sprintf("node %d towards node %d: %s %s (%s)", p.About, p.Observer, p.Metric, report.Bound(p.Loss, p.Status), p.Claim)
}

// A Result is a finished run, with the Account of its Priced. Scores are means over the trials.
type Result struct {
	Account
	TrainLoss, TestLoss float64
	TestAccuracy        float64     // in [0, 1]; NaN if the model does not classify
	Models              [][]float64 // final parameters of each trial, the intercept last; the mean over nodes if each keeps its own
	Simulated           bool        // the noise came from a seed, so that this run protects nobody

	bundle *report.Bundle
}

// Run trains every trial of the spec and scores the models. A run of one spec gives the same bits on
// every machine and on any number of cores.
func (p *Priced) Run(ctx context.Context) (*Result, error) {
	bundle, err := p.priced.Run(ctx, nil)
	if err != nil {
		return nil, err
	}
	final := bundle.Result.Final
	r := &Result{
		Account: p.Account, TrainLoss: float64(final.TrainLoss), TestLoss: float64(final.TestLoss), TestAccuracy: math.NaN(),
		Simulated: bundle.Result.Privacy.Simulated, bundle: bundle,
	}
	if final.TestAccuracy != nil {
		r.TestAccuracy = *final.TestAccuracy
	}
	for _, t := range bundle.Result.Trials {
		r.Models = append(r.Models, t.Model)
	}
	return r, nil
}

// Write writes the result into the folder dir, or nothing: result.json, tables, models, the resolved
// spec and report.html. It replaces an earlier result and refuses a folder with anything else.
func (r *Result) Write(ctx context.Context, dir string) error {
	return report.WriteDir(ctx, dir, r.bundle)
}

// String writes the scores and the Account.
func (r *Result) String() string {
	score := fmt.Sprintf("test loss %.4g", r.TestLoss)
	if !math.IsNaN(r.TestAccuracy) {
		score = fmt.Sprintf("test accuracy %.4g", r.TestAccuracy)
	}
	return score + "; " + r.Account.String()
}
