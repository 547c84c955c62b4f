package sim

import (
	"context"

	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// checkEvery is the number of turns between checks of the context.
const checkEvery = 4096

// Bulk runs w turn by turn in one goroutine and returns the final token, or the mean if there are several. It
// stops early only when ctx ends.
func (w *Walk) Bulk(ctx context.Context, watch Watcher) ([]float64, error) {
	lanes, err := w.together(ctx, watch, nil)
	if err != nil {
		return nil, err
	}
	return walk.Mean(tokensOf(lanes)), nil
}

// Together does as Bulk for all tokens, which take their turns side by side: turn t of every lane in order,
// then turn t+1. After each turn it passes all tokens to round, which must not keep them. It returns the last
// tokens.
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

// A bulkLane is one token in progress, and its nodes' state. Its path does not depend on learning, so that it
// is computed two turns ahead. While the holder computes, memory prefetches the next holder's data and the
// beginning of the data of the one after that.
type bulkLane struct {
	hopper   *walk.Hopper
	holdings Holdings
	slab     *Slab // the holdings, if they are a Slab
	token    []float64
	nodes    []walk.Node
	turns    step.Turn
	at, to   step.NodeID       // holders of the current turn and of the next
	held     [2]model.Examples // of the holders of even turns and of odd turns
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

// hop performs turn t.
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

// take looks up the examples of the holder of turn t.
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

// fetched is the number of values of rows, labels and norms that are prefetched. The processor itself
// prefetches the rest.
const fetched = 256

// expect prefetches the data that take needs for v.
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

// nodes returns the nodes before the first turn.
func (w *Walk) nodes() []walk.Node {
	return w.Protocol.NewNodes(func(v step.NodeID) float64 {
		if w.Scales != nil {
			return w.Scales[v]
		}
		return w.Protocol.ScaleOf(v, w.Holdings.Examples(v))
	})
}

// Machines returns one machine a node. Their hoppers report their turns to watch. neighbours lists the nodes
// from which a machine accepts messages.
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
