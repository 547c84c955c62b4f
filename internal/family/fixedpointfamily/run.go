package fixedpointfamily

import (
	"context"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/algo/fixedpoint"
	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/step"
)

// Trial implements family.Algorithm. The model is the regulariser's proximal point.
func (a *Algorithm) Trial(ctx context.Context, seed uint64, see family.Seen) ([]float64, error) {
	model := make([]float64, a.local.Params)
	err := a.Iterate(ctx, seed, func(k int, _ step.Release, _ bool, z, _ []float64) {
		copy(model, z)
		see(k+1, z, 0)
	})
	return model, err
}

// Iterate runs once and shows see every release, with the model and the vector after it, borrowed.
func (a *Algorithm) Iterate(ctx context.Context, seed uint64, see func(k int, r step.Release, released bool, z, u []float64)) error {
	op := fixedpoint.NewForwardBackward(a.local, a.Spec.Nodes, a.draw(seed), a.Examples.Examples, a.scales)
	it := fixedpoint.Iteration{Operator: op, Activation: a.activation(), Lambda: a.keys.Lambda, Source: noise.NewSimulated(seed)}
	z, bound := make([]float64, a.local.Params), a.Bound()
	return it.Run(ctx, a.local.Begin(), a.Spec.Algorithm.Steps, func(k int, r step.Release, released bool, u []float64) {
		descent.Confine(u, bound)
		op.Model(z, u, k+1)
		see(k, r, released, z, u)
	})
}

// draw returns the draws of nodes. With one node a step they are those of the uniform walk, so that DP-SGD is the central
// baseline to the bit.
func (a *Algorithm) draw(seed uint64) fixedpoint.Draw {
	n := a.Spec.Nodes
	if a.keys.Draw > 1 || n == 1 {
		return fixedpoint.Several(a.keys.Draw, n, seed)
	}
	next, one, at := walk.NewSeeded(walk.Uniform(n), seed), make([]step.NodeID, 1), walk.StartAt(n, seed, 0)
	return func(k int) []step.NodeID {
		if k > 0 {
			at = next.Next(at, step.Turn(k-1), 0)
		}
		one[0] = at
		return one
	}
}

// Machine implements family.Algorithm: no participant runs this kind (CheckReal).
func (a *Algorithm) Machine(family.Participant) family.Machine {
	panic("fixedpoint: a curator's iteration has no machines")
}
