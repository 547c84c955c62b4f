package gossip

import (
	"math"
	"slices"
	"testing"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/step"
)

// shifts are how far a node's data move what it sends, round by round, in units of the step size, given all that was sent
// before: a run in one world, and after the same past one step in the other world. Gradients are as far apart as the clip allows.
func shifts(p *Protocol, begin func(x []float64, ex model.Examples, node *Node, t step.Turn)) (all []float64) {
	world := func(x float64) model.Examples { return model.Examples{Features: 1, X: []float64{x}, Y: []float64{0}} }
	x, node, other := []float64{0}, Node{Scale: 1, Velocity: []float64{0}}, Node{Scale: 1, Velocity: []float64{0}}
	for t := range step.Turn(p.Rounds) {
		there := slices.Clone(x)
		begin(there, world(-1e6), &other, t)
		begin(x, world(1e6), &node, t)
		all = append(all, math.Abs(there[0]-x[0])/p.StepSize.Base)
	}
	return all
}

// With momentum of what was sent data move a message by what it moves one without, in every round: the price of all
// rounds is the local one. A node that carried its gradients on without the noise would say each again in every later
// message: its view is a Gaussian too, shifted by more and more, and loses far more than it is charged.
func TestMomentumOfWhatWasSentCostsNothing(t *testing.T) {
	const rounds, sigma, delta = 20, 10, 1e-6
	p := &Protocol{Local: descent.Local{
		Params: 1, Objective: model.Objective{Model: model.Mean{}}, Noise: noise.Gaussian{Clip: 0.5, Multiplier: sigma}, StepSize: descent.StepSize{Base: 0.25}, Momentum: 0.9,
	}, Nodes: 1, Rounds: rounds, TurnsPerRound: 1, Gamma: 1}
	kernel := NewKernel(p, noise.NewSimulated(1), nil)
	energy := func(begin func(x []float64, ex model.Examples, node *Node, t step.Turn)) (sum float64) {
		for _, shift := range shifts(p, begin) {
			sum += shift * shift
		}
		return sum
	}
	charged, _, err := privacy.LocalLoss(rounds, sigma, privacy.Metric{Delta: delta})
	if err != nil {
		t.Fatal(err)
	}
	public := 0.0 // what was sent is the same in both worlds, so what is carried on is too
	sent := func(x []float64, ex model.Examples, node *Node, t step.Turn) {
		node.Velocity[0] = public
		if kernel.Begin(x, ex, node, 0, t); ex.X[0] > 0 {
			public = node.Velocity[0]
		}
	}
	if got := privacy.GaussianLoss(energy(sent), sigma, privacy.Metric{Delta: delta}); math.Abs(got-charged) > 1e-9*charged {
		t.Errorf("with momentum a node loses %g, and is charged %g", got, charged)
	}
	quiet := *p
	quiet.Noise.Multiplier = 0
	silent := NewKernel(&quiet, noise.NewSimulated(1), nil)
	hidden := func(x []float64, ex model.Examples, node *Node, t step.Turn) {
		bare := slices.Clone(x)
		silent.Begin(bare, ex, &Node{Scale: 1}, 0, t)
		gradient := (x[0] - bare[0]) / p.StepSize.Base
		node.Velocity[0] = p.Momentum*node.Velocity[0] + gradient // without the noise
		x[0] -= p.StepSize.Base * node.Velocity[0]
		noise.NewSimulated(1).Add(x, p.StepSize.Base*p.Noise.Std(), 0, t, 0)
	}
	if got := privacy.GaussianLoss(energy(hidden), sigma, privacy.Metric{Delta: delta}); got < 3*charged {
		t.Errorf("a node that carries gradients on without noise loses %g, and would be charged %g", got, charged)
	}
}
