package fixedpoint

import (
	"github.com/hearsay-dp/hearsay/algo/admm"
	"github.com/hearsay-dp/hearsay/algo/prox"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/step"
)

// Consensus is the operator of consensus ADMM (002, equations 8.7 to 8.9) on the variables
// of all nodes one after the other, a block each,
//
//	R_i(u) = u_i + 2 (x_i - z),  z = prox of gamma r at the mean of all u_i,  x_i = prox of gamma f_i at 2 z - u_i,
//
// which is (2 prox - I)(2 prox - I) of both functions and so non-expansive. An iteration
// at lambda takes the steps of algo/admm at that Lambda: all blocks are the centralised
// ADMM of Algorithm 8.2, some of them at random the federated one of Algorithm 8.3.
type Consensus struct {
	kernel  *admm.Kernel
	local   admm.Local // at Lambda 1 and without noise
	std     float64
	hold    func(step.NodeID) model.Examples
	scales  []float64
	factors []*prox.Factor
	mean, z []float64
}

// NewConsensus is the operator of so many nodes with the local step of l, whose Lambda is not looked
// at, and whose noise is that of a release.
func NewConsensus(l admm.Local, nodes int, hold func(step.NodeID) model.Examples, scales []float64) *Consensus {
	l.Lambda = 1
	l = admm.New(l)
	c := &Consensus{local: l, std: l.Noise.Std(), hold: hold, scales: scales, factors: make([]*prox.Factor, nodes)}
	c.local.Noise.Multiplier = 0
	c.kernel = admm.NewKernel(&c.local, silence{})
	c.mean, c.z = make([]float64, l.Params), make([]float64, l.Params)
	for v := range c.factors {
		if ex := hold(step.NodeID(v)); ex.Len() > 0 {
			c.factors[v] = c.kernel.Factor(ex, c.scale(v))
		}
	}
	return c
}

func (c *Consensus) scale(v int) float64 {
	if c.scales == nil {
		return 1
	}
	return c.scales[v]
}

// Model sets dst to z, as long as a block.
func (c *Consensus) Model(dst, u []float64) {
	clear(c.mean)
	p := c.local.Params
	n := float64(len(u) / p)
	for i, x := range u {
		c.mean[i%p] += x
	}
	for j := range c.mean {
		c.mean[j] /= n
	}
	c.local.Consensus(dst, c.mean)
}

// Key implements Keyed: a block's noise is its node's own.
func (c *Consensus) Key(b Block) (step.NodeID, step.Lane) { return step.NodeID(b.Index), 0 }

// Apply implements Operator: what one node's block lets out, each with noise of its own.
func (c *Consensus) Apply(dst, u []float64, k int, active []Block) (release step.Release) {
	c.Model(c.z, u)
	for _, b := range active {
		part := dst[b.Lo:b.Hi]
		copy(part, u[b.Lo:b.Hi])
		one := c.kernel.Update(part, c.z, c.hold(step.NodeID(b.Index)), c.scale(b.Index), c.factors[b.Index], step.NodeID(b.Index), step.Turn(k), 0)
		release.Sensitivity, release.Contributed = max(release.Sensitivity, one.Sensitivity), release.Contributed || one.Contributed
	}
	unit := c.local.StepSize.Base
	return step.Release{
		From: step.NodeID(active[0].Index), Turn: step.Turn(k), Contributed: release.Contributed, Sensitivity: unit * release.Sensitivity, NoiseStd: unit * c.std,
	}
}
