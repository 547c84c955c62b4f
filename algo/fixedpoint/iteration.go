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

// Blocks are params parameters cut into count blocks, 1 <= count <= params, whose lengths
// differ by one at most.
func Blocks(params, count int) []Block {
	all := make([]Block, count)
	for b := range all {
		all[b] = Block{b, descent.Span{Lo: b * params / count, Hi: (b + 1) * params / count}}
	}
	return all
}

// An Operator is R, as far as one step k can compute it.
type Operator interface {
	// Apply sets dst, in the entries of the active blocks, to R(u) + e; of the others it
	// may leave anything. u is not changed. What it returns is the release that these
	// entries become once there is noise: whose (the noise is drawn as that node's), at
	// which turn, how far (L2) what is protected can move them, and the noise's standard
	// deviation, which the iteration adds, in units of u.
	Apply(dst, u []float64, k int, active []Block) step.Release
}

// A Keyed operator says whose noise a block has, and of which lane; of others it is that of
// the release, and the block's number.
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

// Step takes step k on u and reports what it released; ok is false where no block was
// active, so that nothing was.
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

// checkEvery is how many steps pass between looks at the context.
const checkEvery = 64

// Run takes the steps 0 to below steps on u, and shows see, which may be nil, every
// release and the vector after it, borrowed.
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
