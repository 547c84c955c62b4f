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

// Carried returns l for a token that carries and releases zhat, the mean of nodes variables. An update then
// moves zhat by 1/nodes of a variable's move, and
// the noise is scaled alike (002 Algorithm 8.4).
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
// So u follows from the tokens that the holder received and passed on. The token is
// released, and the noise is added to it. If the token is on a grid, so is u. A
// holder that uses its data no more (NoiseOnly) leaves u where it is but for noise:
// its contributions stay in the mean.
type Carrier struct {
	kernel  *Kernel
	nodes   float64
	own     []float64 // u of the holder, borrowed
	z       []float64
	before  []float64 // the token
	factors map[step.NodeID]*prox.Factor
	room    int // for further factors
}

// mostFactors is the largest number of entries of factors that are kept, over all nodes that a driver runs.
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

// follow moves the holder's variable by n times the token's change.
func (c *Carrier) follow(token []float64) {
	for j, v := range token {
		c.own[j] += float64(c.nodes * (v - c.before[j]))
	}
}

// factor returns the part that a node's updates have in common. If there is no room to keep it, it is made
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

// Box returns the half-width of the public box that tokens are confined to. No entry of a
// token or of a variable exceeds it in that many updates, but for a probability below 2^-60 over
// the run (descent.Local.Bound). With s = 1/(1 + gamma L2) an update is
//
//	u' = (1 - 2 lambda s) u + 2 lambda (2 s - 1) z - Rate (gradient + noise),
//
// and z is zhat but for the effect of r. r shrinks zhat, or moves each entry by at most
// gamma Weight (l1), or puts it into a set (box, simplex). For lambda <= 1/2 and gamma L2 <= 2
// the two factors are at most 1 together, in absolute value. Each update's gradient and noise
// then weigh at most 1 later, by the path alone. Otherwise nothing bounds tokens,
// and the box is so large that their squares are just numbers.
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
