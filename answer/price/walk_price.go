package price

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/family/walkfamily"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/privacy/walkpublished"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/spec"
)

// walk returns the run that the flags describe and its schedule. The model is not known. No
// spec of a walk has a cap per edge.
func (f *WalkQuestion) walk(t *graph.Transition) (w schedule.Walk, own *walkfamily.Algorithm, err error) {
	watch, err := f.Cache.Watch(f.Context, f.Stderr)
	if err != nil {
		return w, nil, err
	}
	a, err := experiment.Outline(experiment.Watching(f.Context, watch), "walk", t, UnknownModel(), func(s *spec.Spec) {
		own := &s.Algorithm
		own.Steps, own.BurnIn, own.Contributions, own.StepSize.Power = f.Steps, f.BurnIn, f.Contributions, f.Power
		own.Tokens, own.Own.(*walkfamily.Keys).Skip = f.Tokens, f.Skip
		if at, err := strconv.Atoi(f.Start); err == nil {
			own.Start = spec.Start{Node: at}
		}
		if s.Privacy.Sigma = &f.Sigma; f.Final {
			s.Privacy.Release = "final"
		}
	})
	if err != nil {
		return w, nil, err
	}
	w, own = a.Schedule().(schedule.Walk), a.(*walkfamily.Algorithm)
	w.EdgeCap = f.EdgeCap
	return w, own, nil
}

// UnknownModel returns the guarantees for updates of an unnamed model. Commands without a
// spec assume them on the user's word, and print the assumption.
func UnknownModel() model.Guarantees {
	return model.AssertSteps(1, "every update is non-expansive: the loss is convex and smooth, the step at most 2/smoothness, "+
		"and clipping is per example on a generalised linear model and before the noise")
}

func (f *WalkQuestion) published(s schedule.Walk) (*PublishedWalk, error) {
	w, err := walkpublished.Of(s)
	if err != nil {
		return nil, err
	}
	charge := walkpublished.Charge{Contributions: max(1, f.Contributions), Metric: f.metric()}
	if f.Condition == "printed" {
		charge.Condition = privacy.Printed
	}
	sender := walkpublished.Hidden
	if f.Sender == "known" {
		sender = walkpublished.Known
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
	losses, err := w.Pairs(sums, sender).Losses(f.Sigma, charge)
	if err != nil {
		return nil, err
	}
	p := &PublishedWalk{Claim: form.NewClaim(losses.Claim), Eps: form.Matrix(s.Nodes, losses.At)}
	if f.Delta == 0 {
		p.Single = form.Matrix(s.Nodes, func(u, v int) float64 { return losses.Single(u, v, f.Alpha) })
	}
	return p, nil
}

// publishedPair computes one row of the sums only, so it works on graphs of any size.
func (f *WalkQuestion) publishedPair(w *walkpublished.Accountant, sender walkpublished.Sender, charge walkpublished.Charge) (*PublishedWalk, error) {
	reach, err := w.Between(f.u, f.v, sender, runtime.GOMAXPROCS(0))
	if err != nil {
		return nil, err
	}
	loss, claim, err := charge.Loss(reach, f.Sigma, sender)
	if err != nil {
		return nil, err
	}
	charge.Contributions = 1
	single, _, err := charge.Loss(reach, f.Sigma, sender)
	return &PublishedWalk{form.NewClaim(claim), single, loss}, err
}

func (f *WalkQuestion) local(contributions int) (*LocalWalk, error) {
	loss, claim, err := privacy.LocalLoss(contributions, f.Sigma, f.metric())
	return &LocalWalk{form.NewClaim(claim), loss}, err
}

// allPairsLimit is the largest number of pairs whose laws are computed one by one.
const allPairsLimit = 1000

func (f *WalkQuestion) path(t *graph.Transition, s schedule.Walk, own *walkfamily.Algorithm) (*PathWalk, error) {
	walk := walkpath.Walk{Walk: s, Watch: own.Watch}
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
	if f.Paths == 0 && !f.simulatedOnly() {
		if p, err := f.table(n, own); p != nil || err != nil {
			return p, err
		}
	}
	class, ok := form.Symmetry(t)
	if !ok {
		class = walkpath.EveryPair(n)
	}
	if f.Paths == 0 {
		f.Paths = walk.Affordable()
	}
	switch {
	case f.simulatedOnly():
		return f.sampleAll(t, walk)
	case ok || n*(n-1) <= allPairsLimit:
	case f.Paths > 0:
		return f.sampleAll(t, walk)
	case f.Accountant == "all":
		return nil, nil // too expensive unless requested
	default:
		return nil, fault.New(fmt.Sprintf("the path accountant would look at %d pairs one by one", n*(n-1)),
			"choose a pair with --u and --v, or simulate all of them with --paths 1000")
	}
	laws, err := walk.Laws(class, form.Workers())
	if err != nil {
		return nil, err
	}
	losses, err := laws.Losses(f.Sigma, f.metric())
	if err != nil {
		return nil, err
	}
	return &PathWalk{Claim: form.NewClaim(losses.Claim), Eps: form.Matrix(n, losses.At), Confidence: 1}, nil
}

// deltasAt lists the epsilons at which delta is reported.
var deltasAt = []float64{0.1, 0.25, 0.5, 1, 2, 4, 8}

// table returns the losses of all pairs from the tables of a spec. It returns nil if the
// tables do not cover all pairs.
func (f *WalkQuestion) table(n int, own *walkfamily.Algorithm) (*PathWalk, error) {
	if f.Accountant != "path" && n > tableNodes { // it takes long and was not requested
		return nil, nil
	}
	at, claim, err := own.Table(f.metric(), f.Sigma)
	if at == nil || err != nil {
		return nil, err
	}
	return &PathWalk{Claim: form.NewClaim(claim), Eps: form.Matrix(n, at), Confidence: 1}, nil
}

// tableNodes is the largest number of nodes for which all pairs are priced to find the
// charge of one.
const tableNodes = 512

func (f *WalkQuestion) pathOfPair(t *graph.Transition, walk walkpath.Walk, own *walkfamily.Algorithm) (*PathWalk, error) {
	law, err := walk.CoalitionLaw(f.u, append([]int{f.v}, f.colluders...))
	if err != nil {
		return nil, err
	}
	loss, err := law.Loss(f.Sigma, f.metric())
	if err != nil {
		return nil, err
	}
	p := &PathWalk{Claim: form.NewClaim(law.Claim), Eps: loss, Confidence: 1, Energy: law.Mean()}
	for _, eps := range deltasAt {
		p.Delta = append(p.Delta, DeltaAt{eps, law.Delta(eps, f.Sigma)})
	}
	if t.Len() <= tableNodes && len(f.colluders) == 0 {
		at, _, err := own.Table(f.metric(), f.Sigma)
		if err != nil {
			return nil, err
		}
		if at != nil {
			charged := at(f.u, f.v)
			p.Table = &charged
		}
	}
	if f.Paths == 0 {
		return p, nil
	}
	p.Paths = f.Paths
	p.Sampled, _, err = f.sample(t, walk)
	return p, err
}

// pathBySimulation returns the result of simulated paths for a pair that nothing else can
// price.
func (f *WalkQuestion) pathBySimulation(t *graph.Transition, walk walkpath.Walk) (*PathWalk, error) {
	sampled, claim, err := f.sample(t, walk)
	if err != nil {
		return nil, err
	}
	return &PathWalk{
		Claim: form.NewClaim(claim), Eps: sampled.Eps, Confidence: sampled.Confidence,
		Delta: sampled.Delta, Energy: sampled.Energy, Paths: sampled.Paths,
	}, nil
}

// failure is the probability that any number of an answer from simulated paths is wrong.
const failure = 1e-3

// sample returns the result of simulated paths for the pair.
func (f *WalkQuestion) sample(t *graph.Transition, walk walkpath.Walk) (*SampledWalk, privacy.Claim, error) {
	samples, err := f.simulation(t, walk).Sample([]walkpath.Pair{{U: f.u, V: f.v}}, form.Workers())
	if err != nil {
		return nil, privacy.Claim{}, err
	}
	said, err := samples[0].Statements(f.Alpha, f.Sigma, deltasAt, failure)
	s := &SampledWalk{Eps: said.RDP, Confidence: said.Confidence, Energy: samples[0].Mean(), Paths: samples[0].Paths}
	for k, delta := range said.Delta {
		s.Delta = append(s.Delta, DeltaAt{deltasAt[k], delta})
	}
	return s, samples[0].Claim, err
}

// sampleAll returns the result of simulated paths for all pairs.
func (f *WalkQuestion) sampleAll(t *graph.Transition, walk walkpath.Walk) (*PathWalk, error) {
	if err := form.CheckMatrix(t.Len()); err != nil {
		return nil, err
	}
	eps, claim, err := f.simulation(t, walk).AllPairs(f.Alpha, f.Sigma, failure, form.Workers())
	return &PathWalk{Claim: form.NewClaim(claim), Eps: eps, Confidence: 1 - failure, Paths: f.Paths}, err
}

func (f *WalkQuestion) simulation(t *graph.Transition, walk walkpath.Walk) walkpath.Simulation {
	return walkpath.Simulation{
		Walk: walk, Paths: f.Paths, Seed: f.Seed,
		Next: func(at, _ int, r *rand.Rand) int { return t.Next(at, r) },
	}
}
