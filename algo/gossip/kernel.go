package gossip

import (
	"slices"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// Kernel computes one node's turn. It holds only scratch memory and is not safe for concurrent use.
type Kernel struct {
	p       *Protocol
	step    *descent.Kernel
	sampler Sampler
	bound   float64 // of the box that values are confined to
	batch   batch
	sum     []float64
	rows    [][]float64
	before  []float64 // the value before a step with momentum
	memory  *remembering
	shared  *noise.Cancelling // nil: no noise cancels
}

// NewKernel returns the kernel of p with noise from source. source must be noise.Shared too if p has noise that
// cancels. sampler draws batches and may be nil if there are none.
func NewKernel(p *Protocol, source noise.Source, sampler Sampler) *Kernel {
	k := &Kernel{p: p, sampler: sampler, bound: p.Bound(), sum: make([]float64, p.Params)}
	source = k.cancelling(source)
	if p.Memory != nil {
		k.memory = &remembering{Source: source, p: p}
		source = k.memory
	}
	k.step = descent.NewKernel(&p.Local, source)
	return k
}

// A Node is the state of a node in a run besides its model.
type Node struct {
	Contributions int
	Scale         float64   // see descent.Local
	Mean          []float64 // of its values after rounds of the second half so far, with Protocol.KeepMean
	Velocity      []float64 // with momentum: its velocity (descent.Local.Carry)
	Past          []float64 // with a memory: the noise that it added in the last rounds (remembering)
	unsent        int       // contributions that are in no message yet
	fresh         bool      // noise has been drawn that is in no message yet
}

// Begin adds noise to a value before it is sent at turn t, once per turn. At the first turn of a round the noise
// is part of the local step on the node's data. A node that holds no data, or has made its last contribution,
// takes the same step without data. So every message that data can move has noise that no other message has.
func (k *Kernel) Begin(x []float64, ex model.Examples, node *Node, v step.NodeID, t step.Turn) {
	node.fresh = true
	r, round := step.Release{From: v, Turn: t}, k.p.round(t)
	if !k.p.first(t) {
		k.step.Perturb(x, round, &r)
		k.Confine(x)
		return
	}
	k.hold(x, node)
	k.memory.of(node, round)
	switch {
	case k.p.contributes(node.Contributions) && ex.Len() > 0:
		node.Contributions++
		node.unsent++
		k.contribute(x, ex, node.Scale, round, &r)
	default:
		k.step.NoiseOnly(x, round, &r)
	}
	k.carry(x, node, round)
}

// hold keeps the value before a step, if momentum needs it to complete the step.
func (k *Kernel) hold(x []float64, node *Node) {
	if node.Velocity != nil {
		k.before = append(k.before[:0], x...)
	}
}

// carry completes the step of a round by momentum, if there is any, and confines the value.
func (k *Kernel) carry(x []float64, node *Node, round int) {
	if node.Velocity != nil {
		k.p.Carry(x, k.before, node.Velocity, round)
	}
	k.Confine(x)
}

// Ask returns the question that an outside program must answer before Begin can take a step on its gradients. It
// returns nil if there is none.
func (k *Kernel) Ask(x []float64, ex model.Examples, node *Node, v step.NodeID, t step.Turn) *step.Ask {
	if !k.step.Asks() || !k.p.first(t) || !k.p.contributes(node.Contributions) || ex.Len() == 0 {
		return nil
	}
	of, expected := k.drawn(ex, step.Release{From: v, Turn: t})
	return &step.Ask{Turn: t, Theta: slices.Clone(x), Rows: model.RowNumbers(of), At: k.p.round(t), Scale: node.Scale, Expected: expected}
}

// Take does the work of Begin once a program has answered asked with mean, which Take overwrites.
func (k *Kernel) Take(x, mean []float64, asked *step.Ask, node *Node, v step.NodeID) {
	node.fresh = true
	node.Contributions++
	node.unsent++
	k.hold(x, node)
	k.memory.of(node, asked.At)
	k.step.Take(x, mean, asked, &step.Release{From: v, Turn: asked.Turn})
	k.carry(x, node, asked.At)
}

// drawn returns the rows of a contribution. For a Poisson sample expected is the expected number of rows, else 0.
func (k *Kernel) drawn(ex model.Examples, r step.Release) (of model.Examples, expected float64) {
	switch {
	case k.p.Noise.Sampled():
		rate := k.p.Noise.Rate(r.From)
		return k.batch.sample(ex, rate, k.sampler.At(r.From, r.Turn)), rate * float64(ex.Len())
	case k.p.Epoch > 1:
		return k.batch.every(ex, k.p.Epoch, k.p.round(r.Turn)%k.p.Epoch), 0
	case k.p.Batch > 0 && k.p.Batch < ex.Len():
		return k.batch.draw(ex, k.p.Batch, k.sampler.At(r.From, r.Turn)), 0
	}
	return ex, 0
}

// contribute takes the local step on all of a node's rows, on a batch, or on a Poisson sample. A Poisson sample
// may be empty or hold all rows, because observers must not learn its size.
func (k *Kernel) contribute(x []float64, ex model.Examples, scale float64, round int, r *step.Release) {
	of, expected := k.drawn(ex, *r)
	switch {
	case expected > 0:
		k.step.ContributeSample(x, &of, expected, scale, round, r)
	case of.Len() == 0: // fewer rows than batches
		k.step.NoiseOnly(x, round, r)
	default:
		k.step.Contribute(x, &of, scale, round, r)
	}
}

// Confine moves a value to the nearest point of the public box. It must be called on every value from a neighbour
// before averaging, and on a node's own wherever it can have left the box.
func (k *Kernel) Confine(x []float64) { descent.Confine(x, k.bound) }

// Releases appends the releases of v at turn t: its value, to each of nodes but itself. The first messages after a
// contribution are marked as contributing. Later ones repeat values that were already noisy, or add only noise.
// For m contributions sent together, it records m sensitivities and the noise of m draws. Nothing is claimed about
// earlier contributions, which steps may have shrunk since.
func (p *Protocol) Releases(dst []step.Release, nodes []int32, node *Node, v step.NodeID, t step.Turn) []step.Release {
	r := step.Release{From: v, Turn: t}
	if node.fresh && len(nodes) > 1 {
		m := float64(max(1, node.unsent))
		r.Contributed, r.Sensitivity, r.NoiseStd = node.unsent > 0, m*p.Noise.SensitivityOf(v), math.Sqrt(m)*p.Noise.Std()
		r.PairStd = p.Pairwise * r.NoiseStd
		node.unsent, node.fresh = 0, false
	}
	for _, u := range nodes {
		if r.To = step.NodeID(u); r.To != v {
			dst = append(dst, r)
		}
	}
	return dst
}

func (p *Protocol) contributes(used int) bool { return p.Cap == 0 || used < p.Cap }

// Average computes turn t of one node: previous, the node's value of the turn before, becomes its next value.
// now(u) must return the value of node u at turn t.
func (k *Kernel) Average(previous, own []float64, nodes []int32, weights []float64, now func(u step.NodeID) []float64, t step.Turn) {
	k.rows = k.rows[:0]
	for _, u := range nodes {
		k.rows = append(k.rows, now(step.NodeID(u)))
	}
	a, c := k.p.Coefficients(t)
	sparse.ThreeTermRow(previous, k.sum, weights, k.rows, own, a, 0, c)
	if c != 0 {
		k.Confine(previous)
	}
}

// AverageAll computes Average for nodes lo..hi-1 at once. x and previous hold all nodes' values, one after the
// other. w is the whole matrix of the turn, or a sparse.Layout of it, with values, lo and hi at its places.
func (p *Protocol) AverageAll(previous, x []float64, w Product, lo, hi int, t step.Turn) {
	a, c := p.Coefficients(t)
	w.ThreeTermRows(previous, x, p.Params, lo, hi, a, 0, c)
	if c != 0 {
		descent.Confine(previous[lo*p.Params:hi*p.Params], p.Bound())
	}
}

// A Product computes the three-term products of a sparse.Matrix.
type Product interface {
	ThreeTermRows(dst, x []float64, cols, lo, hi int, a, b, c float64)
}
