package fixedpoint

import (
	"context"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/step"
)

// A Block is a part of the vector, with its number.
type Block struct {
	Index int
	descent.Span
}

// Blocks returns params parameters divided into count blocks, 1 <= count <= params, whose lengths differ by one at
// most.
func Blocks(params, count int) []Block {
	all := make([]Block, count)
	for b := range all {
		all[b] = Block{b, descent.Span{Lo: b * params / count, Hi: (b + 1) * params / count}}
	}
	return all
}

// An Operator computes R in step k.
type Operator interface {
	// Apply sets dst, in the entries of the active blocks, to R(u) + e; other entries are undefined. It must not
	// change u. It returns the release of these entries: the node whose noise is drawn, the turn, the sensitivity
	// (L2), and the noise's standard deviation, both in units of u. The iteration adds that noise.
	Apply(dst, u []float64, k int, active []Block) step.Release
}

// A Keyed operator returns the node and lane of a block's noise. For other operators the noise has the release's
// node, and the block's number as lane.
type Keyed interface {
	Key(b Block) (step.NodeID, step.Lane)
}

// An Iteration is a run of Algorithm 8.1.
type Iteration struct {
	Operator   Operator
	Activation Activation
	Lambda     float64 // in (0, 1]
	Source     noise.Source

	next []float64
}

// Step takes step k on u and returns the release. ok is false if no block was active, so that nothing was released.
func (it *Iteration) Step(u []float64, k int) (release step.Release, ok bool) {
	active := it.Activation.Active(k)
	if len(active) == 0 {
		return release, false
	}
	if len(it.next) != len(u) {
		it.next = make([]float64, len(u))
	}
	release = it.Operator.Apply(it.next, u, k, active)
	for _, b := range active {
		part, next := u[b.Lo:b.Hi], it.next[b.Lo:b.Hi]
		if it.Lambda == 1 {
			copy(part, next)
		} else {
			for j, x := range next {
				part[j] += float64(it.Lambda * (x - part[j]))
			}
		}
		node, lane := release.From, step.Lane(b.Index)
		if keyed, ok := it.Operator.(Keyed); ok {
			node, lane = keyed.Key(b)
		}
		it.Source.Add(part, it.Lambda*release.NoiseStd, node, release.Turn, lane)
	}
	return release, true
}

// checkEvery is the number of steps between checks of the context.
const checkEvery = 64

// Run takes the steps from 0 to below steps on u. It passes every release and the vector after it to see, which may
// be nil and must not keep the vector.
func (it *Iteration) Run(ctx context.Context, u []float64, steps int, see func(k int, r step.Release, released bool, u []float64)) error {
	for k := range steps {
		if k%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		release, released := it.Step(u, k)
		if see != nil {
			see(k, release, released, u)
		}
	}
	return nil
}
