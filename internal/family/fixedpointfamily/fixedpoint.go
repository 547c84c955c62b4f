package fixedpointfamily

import (
	"context"
	"fmt"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/algo/fixedpoint"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/spec"
)

// An Algorithm is a curator's iteration.
type Algorithm struct {
	family.Holdings
	local  descent.Local
	scales []float64
	keys   Keys
	blocks []fixedpoint.Block
	shown  int   // number of steps that release something
	moved  int64 // numbers released in all steps together
}

// Prepare implements family.Family.
func (Family) Prepare(ctx context.Context, h family.Holdings) (family.Algorithm, error) {
	local, err := h.Step()
	if err != nil {
		return nil, err
	}
	keys := *h.Spec.Algorithm.Own.(*Keys)
	if err := keys.settle(h.Spec.Nodes, local.Params); err != nil {
		return nil, err
	}
	a := &Algorithm{keys: keys, local: local, blocks: fixedpoint.Blocks(local.Params, keys.Blocks)}
	a.Holdings = h.WithSpec(func(s *spec.Spec) { s.Algorithm.Own = &a.keys })
	a.local.MaxScale = h.MaxScale(a.local.StepSize)
	if err := h.CheckStepSize(a.local.StepSize); err != nil {
		return nil, err
	}
	a.count()
	a.scales, err = h.Scales(ctx, &a.local)
	return a, err
}

// settle fills in the keys that depend on the numbers of nodes and of parameters.
func (k *Keys) settle(nodes, params int) error {
	if k.Blocks == 0 {
		k.Blocks = params
	}
	if k.Draw == 0 {
		k.Draw = 1
		if k.is(coordinate) {
			k.Draw = nodes
		}
	}
	switch {
	case k.Blocks > params:
		return fault.New(fmt.Sprintf("algorithm.blocks: %d, but the model has %d parameters", k.Blocks, params), "give at most as many, or leave it out")
	case k.Draw > nodes:
		return fault.New(fmt.Sprintf("algorithm.draw: %d of %d nodes", k.Draw, nodes), "give at most as many as there are")
	}
	return nil
}

// mostCoins is the largest number of coins tossed to count a run's releases. Above it every step counts as releasing something,
// which charges no less.
const mostCoins = 1e7

// count sets the numbers of releases, from the public draws of blocks.
func (a *Algorithm) count() {
	steps, params := a.Spec.Algorithm.Steps, int64(a.local.Params)
	a.shown = steps
	switch {
	case a.keys.Activation == all:
		a.moved = int64(steps) * params
	case a.keys.Activation != random:
		a.moved = int64(float64(steps) * float64(params) / float64(len(a.blocks)))
	case float64(steps)*float64(len(a.blocks)) > mostCoins:
		a.moved = int64(float64(steps) * float64(params) * a.keys.Probability)
	default:
		a.shown = 0
		active := a.activation()
		for k := range steps {
			now := active.Active(k)
			for _, b := range now {
				a.moved += int64(b.Hi - b.Lo)
			}
			if len(now) > 0 {
				a.shown++
			}
		}
	}
}

// activation returns the activation of blocks. Draws follow from the spec's seed, which is public, and are the same in all
// trials.
func (a *Algorithm) activation() fixedpoint.Activation {
	switch a.keys.Activation {
	case uniform:
		return &fixedpoint.Uniform{Blocks: a.blocks, Seed: a.Spec.Seed}
	case random:
		return &fixedpoint.Random{Blocks: a.blocks, Seed: a.Spec.Seed, Probability: a.keys.Probability}
	case cyclic:
		return fixedpoint.Cyclic(a.blocks)
	}
	return fixedpoint.All(a.blocks)
}

// Of implements family.Algorithm.
func (a *Algorithm) Of() *family.Holdings { return &a.Holdings }

// Local implements family.Algorithm.
func (a *Algorithm) Local() *descent.Local { return &a.local }

// Scales implements family.Algorithm.
func (a *Algorithm) Scales() []float64 { return a.scales }

// Contributions implements family.Algorithm: one for each step that releases something.
func (a *Algorithm) Contributions() int { return a.shown }

// Turns implements family.Algorithm.
func (a *Algorithm) Turns() int64 { return int64(a.Spec.Algorithm.Steps) }

// Draws implements family.Algorithm.
func (a *Algorithm) Draws() float64 { return float64(a.shown) }

// Bound implements family.Algorithm. It bounds the vector. The regulariser's point may be as far from the vector as its set is
// from 0.
func (a *Algorithm) Bound() float64 {
	r := a.Objective.Regulariser
	return a.local.Bound(a.Spec.Algorithm.Steps) + max(math.Abs(r.Low), math.Abs(r.High), r.Total)
}

// Work implements family.Algorithm.
func (a *Algorithm) Work() float64 {
	return float64(a.shown) * float64(a.keys.Draw) * (float64(a.Train.Len())/float64(a.Spec.Nodes) + 3) * float64(a.local.Params)
}

// WithNoise implements family.Algorithm.
func (a *Algorithm) WithNoise(multiplier float64) (family.Algorithm, error) {
	other := *a
	other.local.Noise.Multiplier = multiplier
	return &other, nil
}

// WithPrivacy implements family.Algorithm.
func (a *Algorithm) WithPrivacy(p spec.Privacy) family.Algorithm {
	other := *a
	other.Holdings = a.WithSpec(func(s *spec.Spec) { s.Privacy = p })
	return &other
}

// Schedule implements family.Algorithm.
func (a *Algorithm) Schedule() schedule.Schedule { return a.curator() }

func (a *Algorithm) curator() schedule.Curator {
	n := a.local.Noise
	return schedule.Curator{
		Nodes: a.Spec.Nodes, Drawn: a.keys.Draw, Steps: a.shown, Sensitivities: n.Sensitivities(), Sensitivity: n.Sensitivity(), Noise: n.Std(),
	}
}
