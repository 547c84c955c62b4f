package fixedpoint

import (
	"github.com/hearsay-dp/hearsay/algo/admm"
	"github.com/hearsay-dp/hearsay/algo/prox"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/step"
)

// Consensus is the operator of consensus ADMM (002, equations 8.7 to 8.9) on the variables of all nodes one after the
// other, one block a node,
//
//	R_i(u) = u_i + 2 (x_i - z),  z = prox of gamma r at the mean of all u_i,  x_i = prox of gamma f_i at 2 z - u_i,
//
// which is (2 prox - I)(2 prox - I) of both functions and so non-expansive. An iteration at lambda takes the steps of
// algo/admm at that Lambda. With all blocks active it is the centralised ADMM of Algorithm 8.2, with random ones the
// federated ADMM of Algorithm 8.3.
type Consensus struct {
	kernel  *admm.Kernel
	local   admm.Local // at Lambda 1 and without noise
	std     float64
	hold    func(step.NodeID) model.Examples
	scales  []float64
	factors []*prox.Factor
	mean, z []float64
}

// NewConsensus returns the operator of nodes nodes with the local step of l. It ignores l.Lambda. Its noise is that
// of a release.
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

// Model sets dst to z, which is as long as a block.
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

// Apply implements Operator. The release is that of one node's block; each block has noise of its own.
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

// ConsensusContraction returns the factor by which R of consensus ADMM contracts. It is that of 2 prox_{gamma f} - I
// for f that is mu-strongly convex and beta-smooth, max((gamma beta - 1)/(gamma beta + 1), (1 - gamma mu)/(1 + gamma
// mu)) (Giselsson and Boyd 2017), for any r. It is 1 if nothing is known. g holds for each loss with its penalty.
func ConsensusContraction(l *admm.Local, g model.Guarantees) float64 {
	if !g.Convex() || !g.ClipSafe() && !g.Unclipped(l.Noise.Clip) {
		return 1
	}
	reflected := func(bend float64) float64 {
		if math.IsInf(bend, 1) {
			return 1
		}
		return math.Abs(1-float64(l.Gamma*bend)) / (1 + float64(l.Gamma*bend))
	}
	return max(reflected(l.Objective.L2), reflected(g.LossSmoothness()+l.Objective.L2))
}

// ConsensusBound returns the Bound of the mean over nodes of norm(u_i - u_i*)^2. It also bounds norm(z - z*)^2. Every
// node must update in a turn with probability active, independently of the past. why is the reason if there is no
// bound, else "".
func ConsensusBound(l *admm.Local, g model.Guarantees, active float64) (b Bound, why string) {
	b = Bound{Tau: ConsensusContraction(l, g), Active: active, Lambda: l.Lambda}
	if !(b.Tau < 1) {
		return b, "no factor is known by which ADMM contracts: model.l2 above 0 and a loss without corners would give one"
	}
	shrink := 1 / (1 + float64(l.Gamma*l.Objective.L2))
	begin := l.Begin()
	z := make([]float64, len(begin))
	l.Consensus(z, begin)
	square := 0.0
	for j, u := range begin {
		d := float64((float64(2*z[j])-u)*shrink) - z[j]
		square += float64(d * d)
	}
	rate := 2 * l.Gamma * shrink // of R: at lambda 1
	start := (float64(2*math.Sqrt(square)) + float64(rate*l.Noise.Clip)) / (1 - b.Tau)
	std, off := rate*l.Noise.Std(), rate*l.Tolerance*l.Noise.Clip
	b.Start2, b.Noise2, b.Error2 = start*start, float64(l.Params)*std*std, off*off
	return b, ""
}
