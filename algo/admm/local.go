package admm

import (
	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/algo/prox"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/step"
)

// A Local holds everything about a node's update that all nodes agree on. Its noise is in
// units of gradients, as everywhere. An update
//
//	u_i <- u_i + 2 lambda (y - z) - Rate (mean of clipped gradients at x + noise),
//
// y = (2 z - u_i)/(1 + gamma L2), Rate = 2 lambda gamma/(1 + gamma L2), moves by no more
// than clipping allows. For any two holdings of a node it differs by at most 2 Clip x Rate, however
// well x was found. That is 4 lambda L gamma (002 equation E.16) with L = Clip, and the
// eta of the paper has standard deviation 2 gamma/(1 + gamma L2) times Noise.Std(), per
// coordinate, for every lambda.
type Local struct {
	descent.Local         // StepSize is Rate, Proximal is set, Precision is not used; made by New
	Gamma         float64 // of the proximal operators, > 0
	Lambda        float64 // 0 < Lambda <= 1; 1/2: Douglas and Rachford
	Tolerance     float64 // the norm that a proximal point may be off by, over gamma x Clip
	Regulariser   model.Regulariser
}

// MostTolerance, times the least share that the unit of privacy has in a node's mean, is
// the largest Tolerance at which an update moves by no more than Noise says. The part of
// the clip that descent.Local.LossClip keeps free covers two inexact points. If the unit is a
// whole participant, Tolerance needs no limit, because clipping bounds the move of every update.
const MostTolerance = 0x1p-10

// New completes l.Local, which has Params, Objective, Noise, Initial and Rows, by the fields that
// follow from them. It panics unless the objective's model is model.Margined, and
// Fill, Radius and Importance are left out.
func New(l Local) Local {
	if _, ok := l.Objective.Model.(model.Margined); !ok || l.Fill || l.Radius != 0 || l.Importance != nil {
		panic("admm: a node's update is to the proximal point of losses of a margin, of all of its rows")
	}
	l.Proximal, l.StepSize = true, descent.StepSize{Base: 2 * l.Lambda * l.gamma()}
	return l
}

// gamma returns the step of a proximal operator of a node's losses alone, without the penalty.
func (l *Local) gamma() float64 { return l.Gamma / (1 + float64(l.Gamma*l.Objective.L2)) }

// Inexact returns the largest error, as a norm, of a node's addend to its variable: 2 lambda times
// that of a proximal point.
func (l *Local) Inexact() float64 { return 2 * l.Lambda * l.off() }

// off returns the largest error, as a norm, of a proximal point.
func (l *Local) off() float64 { return l.Tolerance * l.gamma() * l.Noise.Clip }

// Consensus sets z to the proximal point of the mean zhat of all variables; they may be
// the same.
func (l *Local) Consensus(z, zhat []float64) { l.Regulariser.Prox(z, zhat, l.Gamma) }

// A Kernel computes one update. It owns only scratch memory and must not be
// shared between goroutines.
type Kernel struct {
	p         *Local
	solver    *prox.Solver
	source    noise.Source
	begin     []float64 // where the proximal point is sought from
	mean      []float64
	gradients gradients
}

// NewKernel returns the kernel of p with noise from source.
func NewKernel(p *Local, source noise.Source) *Kernel {
	made := func() []float64 { return make([]float64, p.Params) }
	return &Kernel{
		p: p, source: source, begin: made(), mean: made(),
		solver: prox.New(p.Objective.Model.(model.Margined), p.Params, p.LossClip()),
	}
}

// Factor prepares the part that is the same in every update of a node that holds ex, with the
// constant scale of its losses (descent.Local.Scale). It returns nil if there is nothing to
// prepare.
func (k *Kernel) Factor(ex model.Examples, scale float64) *prox.Factor {
	return k.solver.Factor(ex, k.p.gamma()*scale)
}

// Update takes one turn of a node that holds ex and is shown z, on its variable u. f is
// nil or the result of Factor. Without rows it is Drift.
func (k *Kernel) Update(
	u, z []float64, ex model.Examples, scale float64, f *prox.Factor, node step.NodeID, t step.Turn, lane step.Lane,
) step.Release {
	r := step.Release{From: node, Turn: t, Lane: lane}
	k.update(u, u, z, 1, ex, scale, f, &r)
	return r
}

// update applies an update of u to dst, which is u or moves by a share of u's move.
func (k *Kernel) update(dst, u, z []float64, share float64, ex model.Examples, scale float64, f *prox.Factor, r *step.Release) {
	k.to(dst, u, z, share)
	if ex.Len() == 0 {
		k.p.Noise.Drift(dst, k.mean, k.of(1), k.source, r)
		return
	}
	a := k.solver.SolveFrom(f, k.begin, ex, k.p.gamma()*scale, k.p.off())
	k.gradients = gradients{ex, a.Slopes, k.p.Params > ex.Features}
	k.p.Noise.Descend(dst, k.mean, &k.gradients, k.of(scale), k.source, r)
}

// Drift takes the same turn without data: as if all of the node's losses were constant.
func (k *Kernel) Drift(u, z []float64, node step.NodeID, t step.Turn, lane step.Lane) step.Release {
	k.to(u, u, z, 1)
	r := step.Release{From: node, Turn: t, Lane: lane}
	k.p.Noise.Drift(u, k.mean, k.of(1), k.source, &r)
	return r
}

func (k *Kernel) of(scale float64) *noise.Update {
	return &noise.Update{Rate: k.p.StepSize.Base, Scale: scale}
}

// to sets begin to y, and moves dst, which may be u, by a share of u's move in an update without
// losses.
func (k *Kernel) to(dst, u, z []float64, share float64) {
	shrink, twice := 1/(1+float64(k.p.Gamma*k.p.Objective.L2)), 2*k.p.Lambda*share
	for j, v := range z {
		y := float64(float64(float64(2*v)-u[j]) * shrink)
		k.begin[j] = y
		dst[j] += float64(twice * (y - v))
	}
}

// gradients holds the gradients of a node's examples at a proximal point, by the slopes found there.
type gradients struct {
	ex     model.Examples
	slopes []float64
	tail   bool // an intercept follows the features
}

// Len implements noise.Gradients.
func (g *gradients) Len() int { return g.ex.Len() }

// Gradient implements noise.Gradients.
func (g *gradients) Gradient(i int) (slope, norm float64, direction []float64) {
	x, _ := g.ex.Row(i)
	if g.ex.Norms != nil {
		return g.slopes[i], g.ex.Norms[i], x
	}
	return g.slopes[i], model.RowNorm(x, g.tail), x
}
