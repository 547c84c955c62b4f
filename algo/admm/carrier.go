package admm

import (
	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/algo/prox"
	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/step"
)

// Carried is l where a token carries zhat, the mean of the variables of so many nodes, and
// is what is released: an update moves it by one part of what it moves a variable by, and
// so does the noise (002 Algorithm 8.4).
func (l Local) Carried(nodes int) Local {
	l.StepSize.Base /= float64(nodes)
	return l
}

// A Carrier is the kernel of a walk whose token carries zhat: the holder updates its
// variable u and the token by
//
//	zhat' = zhat + (2 lambda (y - z) - Rate (mean of clipped gradients at x + noise))/n,
//	u'    = u + n (zhat' - zhat).
//
// So u follows from the tokens that the holder was handed and has handed on. What is released
// is the token, which the noise is added to: on a grid it is on the grid, and so is u. A
// holder that uses its data no more (NoiseOnly) leaves u where it is but for noise:
// what it has contributed stays in the mean.
type Carrier struct {
	kernel  *Kernel
	nodes   float64
	own     []float64 // u of the holder, borrowed
	z       []float64
	before  []float64 // the token
	factors map[step.NodeID]*prox.Factor
	room    int // for further factors
}

// mostFactors is how many numbers of factors are kept, of all nodes that a driver runs.
const mostFactors = 1 << 22

// NewCarrier makes the kernel of a protocol with the local step of p, which was made by
// Carried.
func NewCarrier(p Local, nodes int) func(*descent.Local, noise.Source, walk.Chance) walk.Kernel {
	return func(l *descent.Local, source noise.Source, _ walk.Chance) walk.Kernel {
		own := p
		own.Local = *l
		return &Carrier{
			kernel: NewKernel(&own, source), nodes: float64(nodes), z: make([]float64, own.Params), before: make([]float64, own.Params),
			factors: map[step.NodeID]*prox.Factor{}, room: mostFactors,
		}
	}
}

// Hold implements walk.Keeper.
func (c *Carrier) Hold(own []float64) { c.own = own }

// Contribute implements walk.Kernel.
func (c *Carrier) Contribute(token []float64, ex *model.Examples, scale float64, _ int, r *step.Release) {
	copy(c.before, token)
	c.kernel.p.Consensus(c.z, token)
	c.kernel.update(token, c.own, c.z, 1/c.nodes, *ex, scale, c.factor(*ex, scale, r.From), r)
	c.follow(token)
}

// NoiseOnly implements walk.Kernel.
func (c *Carrier) NoiseOnly(token []float64, _ int, r *step.Release) {
	copy(c.before, token)
	k := c.kernel
	k.p.Noise.Drift(token, k.mean, k.of(1), k.source, r)
	c.follow(token)
}

// follow moves the holder's variable by what the token has moved, n times.
func (c *Carrier) follow(token []float64) {
	for j, v := range token {
		c.own[j] += float64(c.nodes * (v - c.before[j]))
	}
}

// factor is what a node's updates have in common. What there is no room for is made
// again each time, to the same bits.
func (c *Carrier) factor(ex model.Examples, scale float64, node step.NodeID) *prox.Factor {
	if ex.Len() < 2 {
		return nil
	}
	f, known := c.factors[node]
	if known {
		return f
	}
	f = c.kernel.Factor(ex, scale)
	if size := min(ex.Len(), c.kernel.p.Params); c.room >= size*size {
		c.factors[node], c.room = f, c.room-size*size
	}
	return f
}

// Box is the half-width of the public box that tokens are confined to: what no entry of a
// token or of a variable exceeds in so many updates, but for a probability below 2^-60 over
// the run (descent.Local.Bound). With s = 1/(1 + gamma L2) an update is
//
//	u' = (1 - 2 lambda s) u + 2 lambda (2 s - 1) z - Rate (gradient + noise),
//
// and z is zhat but for what r does to it: it shrinks it, or moves each entry by at most
// gamma Weight (l1), or puts it into a set (box, simplex). For lambda <= 1/2 and gamma L2 <= 2
// the two factors are at most 1 together, in absolute value, so that the path alone says what
// each update's gradient and noise still weigh later, at most 1. Elsewhere nothing bounds tokens,
// and the box is so large that their squares are numbers.
func (l Local) Box(nodes, updates int) float64 {
	if l.Lambda > 0.5 || l.Gamma*l.Objective.L2 > 2 {
		return 0x1p300
	}
	one := l.Local
	one.StepSize.Base *= float64(nodes)
	bound := one.Bound(updates)
	switch r := l.Regulariser; r.Kind {
	case model.L1:
		bound += float64(2 * l.Lambda * l.Gamma * r.Weight * float64(updates))
	case model.Box:
		bound += max(math.Abs(r.Low), math.Abs(r.High))
	case model.Simplex:
		bound += r.Total
	}
	return min(bound, 0x1p300)
}
