package sim

import (
	"context"

	"github.com/hearsay-dp/hearsay/algo/walk"
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
		lanes[k] = bulkLane{w.hopper(one, watch), one.Begin(), one.Start, w.nodes()}
		lanes[k].nodes[one.Start].From = one.Start
	}
	tokens := tokensOf(lanes)
	for t := range w.Protocol.Turns() {
		if t%checkEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for k := range lanes {
			lanes[k].hop(w.Holdings, t)
		}
		if round != nil {
			round(t, tokens)
		}
	}
	return lanes, nil
}

// A bulkLane is one token on its way, and what the nodes remember of it.
type bulkLane struct {
	hopper *walk.Hopper
	token  []float64
	at     step.NodeID
	nodes  []walk.Node
}

func (l *bulkLane) hop(h Holdings, t step.Turn) {
	from := l.at
	l.at = l.hopper.Hop(l.token, h.Examples(from), from, t, &l.nodes[from]).To
	l.nodes[l.at].From = from
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
