package sim

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/hearsay-dp/hearsay/algo/gossip"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// Gossip is one run of gossip: the protocol, the examples of every node, the weights of every turn, and the
// seed of its (simulated) noise and batches.
type Gossip struct {
	Protocol *gossip.Protocol
	Holdings Holdings
	Weights  gossip.Weights // used by one goroutine at a time
	Seed     uint64
	Scales   []float64 // Protocol.Scale of every node; nil: computed
	Workers  int       // goroutines of a bulk run; 0 means one

	layout *sparse.Layout // order of the nodes in memory in a bulk run; nil: Bulk chooses it
}

// A GossipWatcher observes a run turn by turn. Any function may be nil.
type GossipWatcher struct {
	Released func(step.Release)
	// Values receives all nodes' values, one after the other, as they are sent in turn t, after the local step
	// or the noise at its beginning. It is called once more after the last turn. It must not keep x.
	Values func(t step.Turn, x []float64)
	// Rounds receives all nodes' values after done rounds, each a step and its averaging. It must not keep x.
	Rounds func(done int, x []float64)
	// Means receives, after the last turn, the mean that every node has kept of its own values
	// (gossip.Node.Mean), one after the other, if the protocol has them kept. It must not keep them.
	Means func(means []float64)
}

// Bulk runs g turn by turn over slabs and returns all nodes' values, one after
// the other. It stops early only when ctx ends.
func (g *Gossip) Bulk(ctx context.Context, watch GossipWatcher) ([]float64, error) {
	b := g.bulk()
	for t := range g.Protocol.Turns() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b.begin(t)
		b.show(watch, t)
		b.average(t)
		if k := step.Turn(g.Protocol.TurnsPerRound); watch.Rounds != nil && (t+1)%k == 0 {
			watch.Rounds(int((t+1)/k), b.byName(b.x))
		}
		b.split(b.Protocol.Nodes, func(_ *gossip.Kernel, lo, hi int) { b.Protocol.Remember(b.nodes, b.x, lo, hi, t) })
	}
	if watch.Values != nil {
		watch.Values(g.Protocol.Turns(), b.byName(b.x))
	}
	if watch.Means != nil && b.means != nil {
		watch.Means(b.byName(b.means))
	}
	return b.byName(b.x), nil
}

// bulkGossip is the state of one Bulk. With a layout, all node data are in the order of places.
type bulkGossip struct {
	*Gossip
	x, previous []float64
	nodes       []gossip.Node
	means       []float64        // of all nodes, one after the other; nil if they keep none
	kernels     []*gossip.Kernel // one a worker
	layout      *sparse.Layout
	named       []float64 // see byName
	scratch     []float64
	sent        []step.Release
}

func (g *Gossip) bulk() *bulkGossip {
	p := g.Protocol
	b := &bulkGossip{
		Gossip: g, x: make([]float64, p.Nodes*p.Params), previous: make([]float64, p.Nodes*p.Params),
		nodes: make([]gossip.Node, p.Nodes), layout: g.layout,
	}
	if b.layout == nil {
		b.layout = g.betterLayout()
	}
	if p.KeepMean {
		b.means = make([]float64, p.Nodes*p.Params)
	}
	for v := range step.NodeID(p.Nodes) {
		copy(b.value(b.x, v), p.Initial)
		node := &b.nodes[b.place(v)]
		if p.KeepMean {
			node.Mean = b.value(b.means, v)
		}
		if p.Momentum > 0 {
			node.Velocity = make([]float64, p.Params)
		}
		node.Past = p.Past()
		if g.Scales != nil {
			node.Scale = g.Scales[v]
		} else {
			node.Scale = p.ScaleOf(v, g.Holdings.Examples(v))
		}
	}
	for range max(1, g.Workers) {
		b.kernels = append(b.kernels, g.kernel())
	}
	return b
}

// kernel returns a fresh kernel; each goroutine or machine has its own.
func (g *Gossip) kernel() *gossip.Kernel {
	return gossip.NewKernel(g.Protocol, noise.NewSimulated(g.Seed), gossip.NewSeeded(g.Seed))
}

// betterLayout returns a layout of the weights. It returns nil if the weights change, or if averaging waits for
// memory so little that computing a layout does not pay.
func (g *Gossip) betterLayout() *sparse.Layout {
	const cached, turns = 1 << 20, 50 // bytes; computing a layout takes about twenty turns
	p := g.Protocol
	w := gossip.Constant(g.Weights)
	if w == nil || 8*p.Nodes*p.Params < cached || int(p.Turns()) < turns {
		return nil
	}
	return sparse.BetterLayout(w)
}

// place returns the place of node v.
func (b *bulkGossip) place(v step.NodeID) int {
	if b.layout == nil {
		return int(v)
	}
	return b.layout.Place(int(v))
}

// value returns node v's row of x.
func (b *bulkGossip) value(x []float64, v step.NodeID) []float64 {
	d, place := b.Protocol.Params, b.place(v)
	return x[place*d : (place+1)*d]
}

// byName returns the rows of x in the order of node names, valid until the next call.
func (b *bulkGossip) byName(x []float64) []float64 {
	if b.layout == nil {
		return x
	}
	if b.named == nil {
		b.named = make([]float64, len(x))
	}
	b.layout.ByName(b.named, x, b.Protocol.Params)
	return b.named
}

// begin takes the local steps of turn t.
func (b *bulkGossip) begin(t step.Turn) {
	var beginners []step.NodeID
	for _, k := range b.kernels {
		k.Round(b.Weights, t)
	}
	b.Protocol.EachBeginner(b.Weights, t, func(v step.NodeID) { beginners = append(beginners, v) })
	b.split(len(beginners), func(k *gossip.Kernel, lo, hi int) {
		for _, v := range beginners[lo:hi] {
			k.Begin(b.value(b.x, v), b.Holdings.Examples(v), &b.nodes[b.place(v)], v, t)
		}
	})
}

// split divides 0..n-1 among the workers.
func (b *bulkGossip) split(n int, do func(k *gossip.Kernel, lo, hi int)) {
	workers := len(b.kernels)
	if workers == 1 || n < 2*workers {
		do(b.kernels[0], 0, n)
		return
	}
	var group errgroup.Group
	for w := range workers {
		group.Go(func() error {
			do(b.kernels[w], w*n/workers, (w+1)*n/workers)
			return nil
		})
	}
	_ = group.Wait() // do returns no error
}

func (b *bulkGossip) show(watch GossipWatcher, t step.Turn) {
	if watch.Values != nil {
		watch.Values(t, b.byName(b.x))
	}
	if watch.Released == nil {
		return
	}
	for v := range step.NodeID(b.Protocol.Nodes) {
		row, _ := b.Weights.Row(v, t)
		b.sent = b.Protocol.Releases(b.sent[:0], row, &b.nodes[b.place(v)], v, t)
		for _, r := range b.sent {
			watch.Released(r)
		}
	}
}

// average performs the averaging of turn t.
func (b *bulkGossip) average(t step.Turn) {
	if active := b.Weights.Active(t); active != nil {
		b.averageSome(active, t)
		return
	}
	var w gossip.Product = b.layout
	if b.layout == nil {
		w = b.Weights.Matrix(t)
	}
	b.split(b.Protocol.Nodes, func(_ *gossip.Kernel, lo, hi int) {
		b.Protocol.AverageAll(b.previous, b.x, w, lo, hi, t)
	})
	b.x, b.previous = b.previous, b.x
}

// averageSome performs the averaging of turn t for a few nodes. It writes their next values over those of the
// turn before, and swaps the two only when all are computed.
func (b *bulkGossip) averageSome(active []step.NodeID, t step.Turn) {
	now := func(u step.NodeID) []float64 { return b.value(b.x, u) }
	for _, v := range active {
		nodes, weights := b.Weights.Row(v, t)
		b.kernels[0].Average(b.value(b.previous, v), now(v), nodes, weights, now, t)
	}
	b.scratch = append(b.scratch[:0], make([]float64, b.Protocol.Params)...)
	for _, v := range active {
		copy(b.scratch, now(v))
		copy(now(v), b.value(b.previous, v))
		copy(b.value(b.previous, v), b.scratch)
	}
}

// Machines returns one machine a node. watch receives their values before every turn, and may be nil.
// neighbours lists the nodes from which a machine accepts messages.
func (g *Gossip) Machines(neighbours func(step.NodeID) []step.NodeID, watch func(v step.NodeID, t step.Turn, x []float64)) []step.Machine {
	machines := make([]step.Machine, g.Protocol.Nodes)
	for v := range machines {
		id := step.NodeID(v)
		m := gossip.NewMachine(g.Protocol, id, neighbours(id), g.Holdings.Examples(id), g.kernel(), g.Weights)
		if watch != nil {
			m.Watch = func(t step.Turn, x []float64) { watch(id, t, x) }
		}
		machines[v] = m
	}
	return machines
}
