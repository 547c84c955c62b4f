package sim

import (
	"context"

	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// checkEvery is how many turns pass between looks at the context.
const checkEvery = 4096

// Bulk runs w turn by turn in one goroutine and returns the final token, of
// several their mean. It stops early only when ctx ends.
func (w *Walk) Bulk(ctx context.Context, watch Watcher) ([]float64, error) {
	lanes, err := w.together(ctx, watch, nil)
	if err != nil {
		return nil, err
	}
	return walk.Mean(tokensOf(lanes)), nil
}

// Together is Bulk of all tokens, which take their turns side by side: turn t of every
// lane in order, then turn t+1. After each turn round is shown all of them, borrowed.
// It returns the last ones.
func (w *Walk) Together(ctx context.Context, watch Watcher, round func(t step.Turn, tokens [][]float64)) ([][]float64, error) {
	lanes, err := w.together(ctx, watch, round)
	return tokensOf(lanes), err
}

func (w *Walk) together(ctx context.Context, watch Watcher, round func(t step.Turn, tokens [][]float64)) ([]bulkLane, error) {
	lanes := make([]bulkLane, w.Protocol.AllTokens())
	for k, one := range w.Protocol.Lanes() {
		lanes[k].begin(w, one, watch)
	}
	tokens := tokensOf(lanes)
	for t := range w.Protocol.Turns() {
		if t%checkEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for k := range lanes {
			lanes[k].hop(t)
		}
		if round != nil {
			round(t, tokens)
		}
	}
	return lanes, nil
}

// A bulkLane is one token on its way, and what the nodes remember of it. Where it goes depends on nothing
// that is learnt, so it is known two turns ahead: while the holder computes, memory fetches what the next one
// has, and where what the one after that has begins.
type bulkLane struct {
	hopper   *walk.Hopper
	holdings Holdings
	slab     *Slab // the holdings, where they are one
	token    []float64
	nodes    []walk.Node
	turns    step.Turn
	at, to   step.NodeID       // the holder of the turn that is taken, and the one of the next
	held     [2]model.Examples // of the holders of even turns and of odd ones
	release  step.Release
}

func (l *bulkLane) begin(w *Walk, p *walk.Protocol, watch Watcher) {
	l.hopper, l.holdings, l.token, l.nodes, l.turns = w.hopper(p, watch), w.Holdings, p.Begin(), w.nodes(), p.Turns()
	l.slab, _ = w.Holdings.(*Slab)
	l.at = p.Start
	l.nodes[l.at].From = l.at
	l.take(0, l.at)
	l.to = l.hopper.Next(l.at, 0)
}

// hop takes turn t.
func (l *bulkLane) hop(t step.Turn) {
	from, to := l.at, l.to
	if t+1 < l.turns {
		l.take(t+1, to)
		l.to = l.hopper.Next(to, t+1)
		l.expect(l.to)
	}
	r := &l.release
	r.From, r.To, r.Turn = from, to, t
	l.hopper.Hop(l.token, &l.held[t&1], &l.nodes[from], r)
	l.nodes[to].From = from
	l.at = to
}

// take looks up what the holder of turn t has.
func (l *bulkLane) take(t step.Turn, v step.NodeID) {
	held := &l.held[t&1]
	if l.slab == nil {
		*held = l.holdings.Examples(v)
		return
	}
	l.slab.fill(held, v)
	sparse.Prefetch(held.X[:min(len(held.X), fetched)])
	sparse.Prefetch(held.Y[:min(len(held.Y), fetched)])
	sparse.Prefetch(held.Norms[:min(len(held.Norms), fetched)])
}

// fetched is how many numbers of rows, labels and norms are fetched ahead: the processor itself fetches what follows.
const fetched = 256

// expect prepares for take of v.
func (l *bulkLane) expect(v step.NodeID) {
	sparse.PrefetchAt(&l.nodes[v])
	if l.slab != nil {
		sparse.PrefetchAt(&l.slab.Offsets[v])
	}
}

func tokensOf(lanes []bulkLane) [][]float64 {
	tokens := make([][]float64, len(lanes))
	for k := range lanes {
		tokens[k] = lanes[k].token
	}
	return tokens
}

// nodes are the nodes before the first turn.
func (w *Walk) nodes() []walk.Node {
	return w.Protocol.NewNodes(func(v step.NodeID) float64 {
		if w.Scales != nil {
			return w.Scales[v]
		}
		return w.Protocol.ScaleOf(v, w.Holdings.Examples(v))
	})
}

// Machines returns one machine a node, whose hoppers show their turns to
// watch. Neighbours are the nodes that a machine takes messages from.
func (w *Walk) Machines(neighbours func(step.NodeID) []step.NodeID, watch Watcher) []step.Machine {
	machines := make([]step.Machine, w.Protocol.Nodes)
	for v := range machines {
		id := step.NodeID(v)
		hopper := func(p *walk.Protocol) *walk.Hopper { return w.hopper(p, watch) }
		if one := w.Protocol.Token(0); w.Protocol.AllTokens() > 1 {
			machines[v] = walk.NewTokens(w.Protocol, id, neighbours(id), w.Holdings.Examples(id), hopper)
		} else {
			machines[v] = walk.NewMachine(one, id, neighbours(id), w.Holdings.Examples(id), hopper(one))
		}
	}
	return machines
}
