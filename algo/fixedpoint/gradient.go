package fixedpoint

import (
	"slices"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// ForwardBackward is the operator of proximal gradient descent on the nodes' data,
//
//	R(u) = z - s (grad F(z) + L2 z),   z = prox of s r at u,
//
// where F is the mean over all nodes of their losses, clipped. The noise is on u, before the proximal operator, and
// the model is z. With lambda 1 this is z <- prox(z - s (grad F(z) + L2 z + noise)). For convex losses and s at most
// 2/smoothness it is non-expansive, because both parts are. Without a regulariser a step at s = 2/smoothness and
// lambda is one of gradient descent at lambda s (002, Proposition 8.3). If not all nodes are drawn, e is the error of
// the gradient of the drawn ones. With several blocks and all nodes drawn it is coordinate descent (Proposition 8.4),
// where each example's gradient is clipped in the active blocks.
type ForwardBackward struct {
	local  descent.Local // without noise
	std    float64       // of the sum of gradients
	source noise.Source
	kernel *descent.Kernel
	nodes  int
	draw   Draw
	hold   func(step.NodeID) model.Examples
	scales []float64

	z, moved, sum []float64
	part          []descent.Span
}

// A Draw returns the nodes whose gradients a step uses, each at most once. The result is valid until the next call.
type Draw func(k int) []step.NodeID

// NewForwardBackward returns the operator of nodes that hold examples. scales are the scales of their gradients
// (descent.Local.Scale); nil: 1. The noise is that of local for a sum of gradients of the drawn nodes. Steps of local
// must be along gradients, without a radius and without Importance.
func NewForwardBackward(local descent.Local, nodes int, draw Draw, hold func(step.NodeID) model.Examples, scales []float64) *ForwardBackward {
	if local.Proximal || local.Radius > 0 || local.Importance != nil {
		panic("fixedpoint: a step that is not along the gradients of all nodes alike")
	}
	f := &ForwardBackward{local: local, std: local.Noise.Std(), nodes: nodes, draw: draw, hold: hold, scales: scales, source: silence{}}
	f.local.Noise.Multiplier = 0
	f.kernel = descent.NewKernel(&f.local, f.source)
	f.z, f.moved, f.sum = make([]float64, local.Params), make([]float64, local.Params), make([]float64, local.Params)
	return f
}

// Model sets dst to the model of u before step k.
func (f *ForwardBackward) Model(dst, u []float64, k int) {
	f.local.Objective.Regulariser.Prox(dst, u, f.local.StepSize.At(max(0, k-1)))
}

// Apply implements Operator.
func (f *ForwardBackward) Apply(dst, u []float64, k int, active []Block) step.Release {
	f.within(active)
	f.Model(f.z, u, k)
	drawn := f.draw(k)
	release := step.Release{From: drawn[0], Turn: step.Turn(k)}
	if len(drawn) == 1 {
		copy(dst, f.z)
		release = f.descend(dst, drawn[0], k)
	} else {
		clear(f.sum)
		for _, v := range drawn {
			copy(f.moved, f.z)
			one := f.descend(f.moved, v, k)
			release.Contributed = release.Contributed || one.Contributed
			release.Sensitivity = max(release.Sensitivity, one.Sensitivity)
			sparse.Axpy(f.sum, 1, f.moved)
			sparse.Axpy(f.sum, -1, f.z)
		}
		copy(dst, f.z)
		sparse.Axpy(dst, 1/float64(len(drawn)), f.sum)
	}
	unit := f.local.StepSize.At(k) / float64(len(drawn))
	release.Sensitivity, release.NoiseStd = unit*release.Sensitivity, unit*f.std
	return release
}

// within restricts gradients to the active blocks.
func (f *ForwardBackward) within(active []Block) {
	f.part = f.part[:0]
	whole := 0
	for _, b := range active {
		f.part = append(f.part, b.Span)
		whole += b.Hi - b.Lo
	}
	if whole == f.local.Params {
		f.kernel.Within(nil)
		return
	}
	f.kernel.Within(f.part)
}

// descend takes the step of one node from x.
func (f *ForwardBackward) descend(x []float64, v step.NodeID, k int) step.Release {
	ex, r := f.hold(v), step.Release{From: v, Turn: step.Turn(k)}
	if ex.Len() == 0 {
		f.kernel.NoiseOnly(x, k, &r)
		return r
	}
	scale := 1.0
	if f.scales != nil {
		scale = f.scales[v]
	}
	f.kernel.Contribute(x, &ex, scale, k, &r)
	return r
}

// silence is a noise source that adds nothing.
type silence struct{}

func (silence) Add([]float64, float64, step.NodeID, step.Turn, step.Lane) {}
func (silence) Simulated() bool                                           { return true }

// Everybody draws all of n nodes in every step.
func Everybody(n int) Draw {
	all := make([]step.NodeID, n)
	for v := range all {
		all[v] = step.NodeID(v)
	}
	return func(int) []step.NodeID { return all }
}

// Several draws m of n nodes in every step, uniformly and without replacement, ascending.
func Several(m, n int, seed uint64) Draw {
	if m == n {
		return Everybody(n)
	}
	var stream step.Stream
	chosen, drawn := map[step.NodeID]bool{}, make([]step.NodeID, 0, m)
	return func(k int) []step.NodeID {
		r := stream.At(seed, everyone, step.Turn(k), 1, step.Route)
		clear(chosen)
		for top := n - m; top < n; top++ { // Floyd's: each set as likely as any other
			v := step.NodeID(r.IntN(top + 1))
			if chosen[v] {
				v = step.NodeID(top)
			}
			chosen[v] = true
		}
		drawn = drawn[:0]
		for v := range chosen {
			drawn = append(drawn, v)
		}
		slices.Sort(drawn)
		return drawn
	}
}

// Contraction returns the factor by which ForwardBackward contracts (above 1: expands), at the largest step of local,
// with all parameters active, for losses with guarantees g. It returns +Inf if nothing is known.
func Contraction(local *descent.Local, g model.Guarantees) float64 {
	s := local.StepSize.Largest()
	return local.Update(g).Lipschitz(s) / (1 + float64(s*local.Objective.Regulariser.Strong()))
}
