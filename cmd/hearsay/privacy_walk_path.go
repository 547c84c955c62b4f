package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/privacy"
	pathloss "github.com/hearsay-dp/hearsay/privacy/path"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/spec"
)

// walk is the schedule of the run that the flags describe, of a model that they do
// not. No spec has several tokens or a cap per edge yet.
func (f *walkFlags) walk(t *graph.Transition) (schedule.Walk, error) {
	a, err := experiment.Outline(f.cmd.Context(), "walk", t, unknownModel(), func(s *spec.Spec) {
		own := &s.Algorithm
		own.Steps, own.BurnIn, own.Contributions, own.StepSize.Power = f.steps, f.burnIn, f.contributions, f.power
		if at, err := strconv.Atoi(f.start); err == nil {
			own.Start = spec.Start{Node: at}
		}
		if s.Privacy.Sigma = &f.sigma; f.final {
			s.Privacy.Release = "final"
		}
	})
	if err != nil {
		return schedule.Walk{}, err
	}
	w := a.Schedule().(schedule.Walk)
	w.Tokens, w.EdgeCap = f.tokens, f.edgeCap
	return w, nil
}

// unknownModel guarantees the updates of a model that nobody has named: what
// commands without a spec take on the word of whoever asks, and say so.
func unknownModel() model.Guarantees {
	return model.AssertSteps(1, "every update is non-expansive: the loss is convex and smooth, the step at most 2/smoothness, "+
		"and clipping is per example on a generalised linear model and before the noise")
}

// allPairsLimit is the most pairs whose laws are computed one by one.
const allPairsLimit = 1000

func (f *walkFlags) path(t *graph.Transition, s schedule.Walk) (*pathWalk, error) {
	watch, err := f.cache.watch(f.cmd, "")
	if err != nil {
		return nil, err
	}
	walk := pathloss.Walk{Walk: s, Watch: watch}
	if f.onePair() {
		if f.simulatedOnly() {
			return f.pathBySimulation(t, walk)
		}
		return f.pathOfPair(t, walk)
	}
	n := t.Len()
	class, ok := symmetry(t)
	if !ok {
		class = pathloss.EveryPair(n)
	}
	if f.paths == 0 {
		f.paths = f.affordable(n)
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
		return nil, fault.New(fmt.Sprintf("the path accountant would look at %d pairs one by one", n*(n-1)), "choose a pair with --u and --v, or simulate all of them with --paths 1000")
	}
	laws, err := walk.Laws(class, workers())
	if err != nil {
		return nil, err
	}
	losses, err := laws.Losses(f.sigma, privacy.Metric{Order: f.alpha})
	if err != nil {
		return nil, err
	}
	return &pathWalk{claimJSON: claimed(losses.Claim), Eps: matrix(n, losses.At), Confidence: 1}, nil
}

// deltasAt are the eps at which delta is reported.
var deltasAt = []float64{0.1, 0.25, 0.5, 1, 2, 4, 8}

func (f *walkFlags) pathOfPair(t *graph.Transition, walk pathloss.Walk) (*pathWalk, error) {
	law, err := walk.CoalitionLaw(f.u, append([]int{f.v}, f.colluders...))
	if err != nil {
		return nil, err
	}
	p := &pathWalk{claimJSON: claimed(law.Claim), Eps: law.RDP(f.alpha, f.sigma), Confidence: 1, Energy: law.Mean()}
	for _, eps := range deltasAt {
		p.Delta = append(p.Delta, deltaAt{eps, law.Delta(eps, f.sigma)})
	}
	if f.paths == 0 {
		return p, nil
	}
	p.Paths = f.paths
	p.Sampled, err = f.sample(t, walk)
	return p, err
}

// pathBySimulation is what simulated paths say of a pair, the only ones that can.
func (f *walkFlags) pathBySimulation(t *graph.Transition, walk pathloss.Walk) (*pathWalk, error) {
	samples, err := f.simulate(t, walk, []pathloss.Pair{{U: f.u, V: f.v}})
	if err != nil {
		return nil, err
	}
	sampled, err := f.bounds(samples[0])
	if err != nil {
		return nil, err
	}
	return &pathWalk{
		claimJSON: claimed(samples[0].Claim), Eps: sampled.Eps, Confidence: sampled.Confidence,
		Delta: sampled.Delta, Energy: sampled.Energy, Paths: sampled.Paths,
	}, nil
}

// failure is the probability with which simulated paths may mislead in any of the
// numbers that one answer makes of them.
const failure = 1e-3

func (f *walkFlags) sample(t *graph.Transition, walk pathloss.Walk) (*sampledWalk, error) {
	samples, err := f.simulate(t, walk, []pathloss.Pair{{U: f.u, V: f.v}})
	if err != nil {
		return nil, err
	}
	return f.bounds(samples[0])
}

// bounds are those of a sample, none above the local loss.
func (f *walkFlags) bounds(sample *pathloss.Sample) (*sampledWalk, error) {
	local, err := f.local()
	if err != nil {
		return nil, err
	}
	each := failure / float64(1+len(deltasAt)) // so that all statements hold at once
	eps := min(sample.RDP(f.alpha, f.sigma, each), local.Eps)
	s := &sampledWalk{Eps: eps, Confidence: 1 - failure, Energy: sample.Mean(), Paths: sample.Paths}
	for _, eps := range deltasAt {
		bare := math.Exp(privacy.LogDeltaGaussian(math.Sqrt(float64(f.most()))/f.sigma, eps))
		s.Delta = append(s.Delta, deltaAt{eps, min(sample.Delta(eps, f.sigma, each), bare)})
	}
	return s, nil
}

// affordable is how many paths of all pairs can be simulated unasked, 0 if too
// few to say anything.
func (f *walkFlags) affordable(n int) int {
	if paths := int(4e8 / (float64(f.steps) * float64(n))); paths >= 1000 {
		return min(paths, 10_000)
	}
	return 0
}

// mostFollowed bounds the excursions that are under way at once.
const mostFollowed = 20_000_000

// sampleAll bounds all pairs by one pass over simulated paths. No bound is above
// the local loss.
func (f *walkFlags) sampleAll(t *graph.Transition, walk pathloss.Walk) (*pathWalk, error) {
	n := t.Len()
	if err := checkMatrix(n); err != nil {
		return nil, err
	}
	if n*n*f.tokens > mostFollowed {
		return nil, fault.New(fmt.Sprintf("%d tokens are too many to be followed for all pairs of %d nodes", f.tokens, n), "choose a pair with --u and --v")
	}
	var pairs []pathloss.Pair
	for u := range n {
		for v := range n {
			if u != v {
				pairs = append(pairs, pathloss.Pair{U: u, V: v})
			}
		}
	}
	samples, err := f.simulate(t, walk, pairs)
	if err != nil {
		return nil, err
	}
	local, err := f.local()
	if err != nil {
		return nil, err
	}
	each := failure / float64(len(pairs))
	eps := make([][]float64, n)
	for u := range eps {
		eps[u] = make([]float64, n)
	}
	for i, p := range pairs {
		eps[p.U][p.V] = min(samples[i].RDP(f.alpha, f.sigma, each), local.Eps)
	}
	return &pathWalk{claimJSON: claimed(samples[0].Claim), Eps: eps, Confidence: 1 - failure, Paths: f.paths}, nil
}

func (f *walkFlags) simulate(t *graph.Transition, walk pathloss.Walk, pairs []pathloss.Pair) ([]*pathloss.Sample, error) {
	return pathloss.Simulation{
		Walk: walk, Paths: f.paths, Seed: f.seed,
		Next: func(at, _ int, r *rand.Rand) int { return t.Next(at, r) },
	}.Sample(pairs, workers())
}
