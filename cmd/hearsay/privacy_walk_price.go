package main

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/family/walk"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/privacy"
	pathloss "github.com/hearsay-dp/hearsay/privacy/path"
	walkloss "github.com/hearsay-dp/hearsay/privacy/walk"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/spec"
)

// walk is the run that the flags describe, of a model that they do not, and its schedule. No
// spec of a walk has a cap per edge.
func (f *walkFlags) walk(t *graph.Transition) (w schedule.Walk, own *walk.Algorithm, err error) {
	watch, err := f.cache.Watch(f.cmd.Context(), f.cmd.ErrOrStderr())
	if err != nil {
		return w, nil, err
	}
	a, err := experiment.Outline(experiment.Watching(f.cmd.Context(), watch), "walk", t, unknownModel(), func(s *spec.Spec) {
		own := &s.Algorithm
		own.Steps, own.BurnIn, own.Contributions, own.StepSize.Power = f.steps, f.burnIn, f.contributions, f.power
		own.Tokens, own.Own.(*walk.Keys).Skip = f.tokens, f.skip
		if at, err := strconv.Atoi(f.start); err == nil {
			own.Start = spec.Start{Node: at}
		}
		if s.Privacy.Sigma = &f.sigma; f.final {
			s.Privacy.Release = "final"
		}
	})
	if err != nil {
		return w, nil, err
	}
	w, own = a.Schedule().(schedule.Walk), a.(*walk.Algorithm)
	w.EdgeCap = f.edgeCap
	return w, own, nil
}

// unknownModel guarantees the updates of a model that nobody has named: what
// commands without a spec take on the word of whoever asks, and say so.
func unknownModel() model.Guarantees {
	return model.AssertSteps(1, "every update is non-expansive: the loss is convex and smooth, the step at most 2/smoothness, "+
		"and clipping is per example on a generalised linear model and before the noise")
}

func (f *walkFlags) published(s schedule.Walk) (*publishedWalk, error) {
	w, err := walkloss.Of(s)
	if err != nil {
		return nil, err
	}
	charge := walkloss.Charge{Contributions: max(1, f.contributions), Metric: privacy.Metric{Order: f.alpha}}
	if f.condition == "printed" {
		charge.Condition = privacy.Printed
	}
	sender := walkloss.Hidden
	if f.sender == "known" {
		sender = walkloss.Known
	}
	if f.onePair() {
		return f.publishedPair(w, sender, charge)
	}
	if err := form.CheckMatrix(s.Nodes); err != nil {
		return nil, err
	}
	sums, err := w.Sums(form.Workers())
	if err != nil {
		return nil, err
	}
	losses, err := w.Pairs(sums, sender).Losses(f.sigma, charge)
	if err != nil {
		return nil, err
	}
	single := form.Matrix(s.Nodes, func(u, v int) float64 { return losses.Single(u, v, f.alpha) })
	return &publishedWalk{form.NewClaim(losses.Claim), single, form.Matrix(s.Nodes, losses.At)}, nil
}

// publishedPair needs one row of the sums only, on graphs of any size.
func (f *walkFlags) publishedPair(w *walkloss.Accountant, sender walkloss.Sender, charge walkloss.Charge) (*publishedWalk, error) {
	reach, err := w.Between(f.u, f.v, sender, runtime.GOMAXPROCS(0))
	if err != nil {
		return nil, err
	}
	loss, claim, err := charge.Loss(reach, f.sigma, sender)
	if err != nil {
		return nil, err
	}
	charge.Contributions = 1
	single, _, err := charge.Loss(reach, f.sigma, sender)
	return &publishedWalk{form.NewClaim(claim), single, loss}, err
}

func (f *walkFlags) local(contributions int) (*localWalk, error) {
	loss, claim, err := privacy.LocalLoss(contributions, f.sigma, privacy.Metric{Order: f.alpha})
	return &localWalk{form.NewClaim(claim), loss}, err
}

// allPairsLimit is the most pairs whose laws are computed one by one.
const allPairsLimit = 1000

func (f *walkFlags) path(t *graph.Transition, s schedule.Walk, own *walk.Algorithm) (*pathWalk, error) {
	walk := pathloss.Walk{Walk: s, Watch: own.Watch}
	if f.oneSide() {
		return f.side(t, walk)
	}
	if f.onePair() {
		if f.simulatedOnly() {
			return f.pathBySimulation(t, walk)
		}
		return f.pathOfPair(t, walk, own)
	}
	n := t.Len()
	if f.paths == 0 && !f.simulatedOnly() {
		if p, err := f.table(n, own); p != nil || err != nil {
			return p, err
		}
	}
	class, ok := form.Symmetry(t)
	if !ok {
		class = pathloss.EveryPair(n)
	}
	if f.paths == 0 {
		f.paths = walk.Affordable()
	}
	switch {
	case f.simulatedOnly():
		return f.sampleAll(t, walk)
	case ok || n*(n-1) <= allPairsLimit:
	case f.paths > 0:
		return f.sampleAll(t, walk)
	case f.accountant == "all":
		return nil, nil // too dear to be looked at unasked
	default:
		return nil, fault.New(fmt.Sprintf("the path accountant would look at %d pairs one by one", n*(n-1)),
			"choose a pair with --u and --v, or simulate all of them with --paths 1000")
	}
	laws, err := walk.Laws(class, form.Workers())
	if err != nil {
		return nil, err
	}
	losses, err := laws.Losses(f.sigma, privacy.Metric{Order: f.alpha})
	if err != nil {
		return nil, err
	}
	return &pathWalk{Claim: form.NewClaim(losses.Claim), Eps: form.Matrix(n, losses.At), Confidence: 1}, nil
}

// deltasAt are the eps at which delta is reported.
var deltasAt = []float64{0.1, 0.25, 0.5, 1, 2, 4, 8}

// table is what tables of a spec say of every pair, nil where they do not price them all.
func (f *walkFlags) table(n int, own *walk.Algorithm) (*pathWalk, error) {
	if f.accountant != "path" && n > tableNodes { // it takes long, and nobody asked
		return nil, nil
	}
	at, claim, err := own.Table(privacy.Metric{Order: f.alpha}, f.sigma)
	if at == nil || err != nil {
		return nil, err
	}
	return &pathWalk{Claim: form.NewClaim(claim), Eps: form.Matrix(n, at), Confidence: 1}, nil
}

// tableNodes is the most nodes of which all pairs are priced to say what one of them is
// charged.
const tableNodes = 512

func (f *walkFlags) pathOfPair(t *graph.Transition, walk pathloss.Walk, own *walk.Algorithm) (*pathWalk, error) {
	law, err := walk.CoalitionLaw(f.u, append([]int{f.v}, f.colluders...))
	if err != nil {
		return nil, err
	}
	p := &pathWalk{Claim: form.NewClaim(law.Claim), Eps: law.RDP(f.alpha, f.sigma), Confidence: 1, Energy: law.Mean()}
	for _, eps := range deltasAt {
		p.Delta = append(p.Delta, deltaAt{eps, law.Delta(eps, f.sigma)})
	}
	if t.Len() <= tableNodes && len(f.colluders) == 0 {
		at, _, err := own.Table(privacy.Metric{Order: f.alpha}, f.sigma)
		if err != nil {
			return nil, err
		}
		if at != nil {
			charged := at(f.u, f.v)
			p.Table = &charged
		}
	}
	if f.paths == 0 {
		return p, nil
	}
	p.Paths = f.paths
	p.Sampled, _, err = f.sample(t, walk)
	return p, err
}

// pathBySimulation is what simulated paths say of a pair, the only ones that can.
func (f *walkFlags) pathBySimulation(t *graph.Transition, walk pathloss.Walk) (*pathWalk, error) {
	sampled, claim, err := f.sample(t, walk)
	if err != nil {
		return nil, err
	}
	return &pathWalk{
		Claim: form.NewClaim(claim), Eps: sampled.Eps, Confidence: sampled.Confidence,
		Delta: sampled.Delta, Energy: sampled.Energy, Paths: sampled.Paths,
	}, nil
}

// failure is the probability with which simulated paths may mislead in any of the
// numbers that one answer makes of them.
const failure = 1e-3

// sample is what simulated paths say of the pair.
func (f *walkFlags) sample(t *graph.Transition, walk pathloss.Walk) (*sampledWalk, privacy.Claim, error) {
	samples, err := f.simulation(t, walk).Sample([]pathloss.Pair{{U: f.u, V: f.v}}, form.Workers())
	if err != nil {
		return nil, privacy.Claim{}, err
	}
	said, err := samples[0].Statements(f.alpha, f.sigma, deltasAt, failure)
	s := &sampledWalk{Eps: said.RDP, Confidence: said.Confidence, Energy: samples[0].Mean(), Paths: samples[0].Paths}
	for k, delta := range said.Delta {
		s.Delta = append(s.Delta, deltaAt{deltasAt[k], delta})
	}
	return s, samples[0].Claim, err
}

// sampleAll is what simulated paths say of all pairs.
func (f *walkFlags) sampleAll(t *graph.Transition, walk pathloss.Walk) (*pathWalk, error) {
	if err := form.CheckMatrix(t.Len()); err != nil {
		return nil, err
	}
	eps, claim, err := f.simulation(t, walk).AllPairs(f.alpha, f.sigma, failure, form.Workers())
	return &pathWalk{Claim: form.NewClaim(claim), Eps: eps, Confidence: 1 - failure, Paths: f.paths}, err
}

func (f *walkFlags) simulation(t *graph.Transition, walk pathloss.Walk) pathloss.Simulation {
	return pathloss.Simulation{
		Walk: walk, Paths: f.paths, Seed: f.seed,
		Next: func(at, _ int, r *rand.Rand) int { return t.Next(at, r) },
	}
}
