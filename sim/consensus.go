package sim

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/hearsay-dp/hearsay/algo/admm"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/step"
)

// Consensus is one run of ADMM in rounds: the protocol, the examples of every node, and the seed of the
// (simulated) noise.
type Consensus struct {
	Protocol *admm.Protocol
	Holdings Holdings
	Seed     uint64
	Scales   []float64 // Protocol.Scale of every node; nil: computed
	Workers  int       // goroutines of a bulk run; 0 means one
}

// A ConsensusWatcher observes a run round by round. Any function may be nil.
type ConsensusWatcher struct {
	Released func(step.Release)
	// Rounds receives z after done rounds, and must not keep it.
	Rounds func(done int, z []float64)
}

// Bulk runs c round by round and returns the last z. It stops early only when ctx ends.
func (c *Consensus) Bulk(ctx context.Context, watch ConsensusWatcher) ([]float64, error) {
	p := c.Protocol
	b := bulkConsensus{Consensus: c, holders: make([]*admm.Holder, p.Nodes), sum: make([]float64, p.Params)}
	for range max(1, c.Workers) {
		b.kernels = append(b.kernels, c.kernel())
	}
	zhat, z := p.Begin(), make([]float64, p.Params)
	var who []step.NodeID
	for t := range p.Turns() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p.Consensus(z, zhat)
		who = p.Drawn(who, t)
		b.round(who, z, t, watch.Released)
		p.Add(zhat, b.sum)
		if watch.Rounds != nil {
			p.Consensus(z, zhat)
			watch.Rounds(int(t)+1, z)
		}
	}
	p.Consensus(z, zhat)
	return z, nil
}

// bulkConsensus is the state of one Bulk.
type bulkConsensus struct {
	*Consensus
	kernels  []*admm.Kernel // one a worker
	holders  []*admm.Holder // nil: not drawn yet
	changes  []float64      // of a block of nodes
	releases []step.Release
	sum      []float64 // of all changes of a round
}

// consensusBlock is the number of nodes that answer before their answers are added.
const consensusBlock = 4096

// round sets sum to the sum of the changes of all drawn nodes, in order.
func (b *bulkConsensus) round(who []step.NodeID, z []float64, t step.Turn, released func(step.Release)) {
	d := b.Protocol.Params
	clear(b.sum)
	for len(who) > 0 {
		part := who[:min(len(who), consensusBlock)]
		if who = who[len(part):]; len(b.changes) < len(part)*d {
			b.changes, b.releases = make([]float64, len(part)*d), make([]step.Release, len(part))
		}
		b.split(len(part), func(k *admm.Kernel, lo, hi int) {
			for i, v := range part[lo:hi] {
				b.releases[lo+i] = k.Answer(b.changes[(lo+i)*d:(lo+i+1)*d], b.holder(k, v), z, b.Holdings.Examples(v), v, t)
			}
		})
		for i := range part {
			admm.Collect(b.sum, b.changes[i*d:(i+1)*d])
			if b.releases[i].To = b.Protocol.Server; released != nil {
				released(b.releases[i])
			}
		}
	}
}

// holder returns the current state of node v.
func (b *bulkConsensus) holder(k *admm.Kernel, v step.NodeID) *admm.Holder {
	if b.holders[v] == nil {
		h := k.NewHolder(b.Holdings.Examples(v), b.scale(v))
		b.holders[v] = &h
	}
	return b.holders[v]
}

// split divides 0..n-1 among the workers.
func (b *bulkConsensus) split(n int, do func(k *admm.Kernel, lo, hi int)) {
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

func (c *Consensus) kernel() *admm.Kernel {
	return admm.NewKernel(&c.Protocol.Local, noise.NewSimulated(c.Seed))
}

func (c *Consensus) scale(v step.NodeID) float64 {
	if c.Scales != nil {
		return c.Scales[v]
	}
	return c.Protocol.ScaleOf(v, c.Holdings.Examples(v))
}

// Machines returns one machine a node; Protocol.Server sums. watch receives the sums, and may be nil.
func (c *Consensus) Machines(watch func(done int, z []float64)) []step.Machine {
	machines := make([]step.Machine, c.Protocol.Nodes)
	for v := range machines {
		machines[v] = c.Machine(step.NodeID(v), watch)
	}
	return machines
}

// Machine returns the machine of one node.
func (c *Consensus) Machine(v step.NodeID, watch func(done int, z []float64)) admm.Machine {
	m := admm.NewMachine(c.Protocol, v, c.Holdings.Examples(v), c.scale(v), c.kernel())
	if server, ok := m.(*admm.Server); ok {
		server.Watch = watch
	}
	return m
}
