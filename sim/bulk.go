package sim

import (
	"context"

	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/step"
)

// checkEvery is how many turns pass between looks at the context.
const checkEvery = 4096

// Bulk runs w turn by turn in one goroutine and returns the final token. It
// stops early only when ctx ends.
func (w *Walk) Bulk(ctx context.Context, watch Watcher) ([]float64, error) {
	token, _, err := w.BulkNodes(ctx, watch)
	return token, err
}

// BulkNodes is Bulk with what the nodes remember at the end.
func (w *Walk) BulkNodes(ctx context.Context, watch Watcher) ([]float64, []walk.Node, error) {
	hopper := w.hopper()
	hopper.Watch = watch
	nodes := w.nodes()
	token := w.Protocol.Begin()
	at := w.Protocol.Start
	nodes[at].From = at
	for t := range w.Protocol.Turns() {
		if t%checkEvery == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		from := at
		at = hopper.Hop(token, w.Holdings.Examples(at), at, t, &nodes[at]).To
		nodes[at].From = from
	}
	return token, nodes, nil
}

// nodes are the nodes before the first turn.
func (w *Walk) nodes() []walk.Node {
	nodes := make([]walk.Node, w.Protocol.Nodes)
	for v := range nodes {
		if w.Scales != nil {
			nodes[v].Scale = w.Scales[v]
		} else {
			nodes[v].Scale = w.Protocol.Scale(w.Holdings.Examples(step.NodeID(v)))
		}
	}
	return nodes
}

// Machines returns one machine a node, whose hoppers show their turns to
// watch. Neighbours are the nodes that a machine takes messages from.
func (w *Walk) Machines(neighbours func(step.NodeID) []step.NodeID, watch Watcher) []step.Machine {
	machines := make([]step.Machine, w.Protocol.Nodes)
	for v := range machines {
		id := step.NodeID(v)
		hopper := w.hopper()
		hopper.Watch = watch
		machines[v] = walk.NewMachine(w.Protocol, id, neighbours(id), w.Holdings.Examples(id), hopper)
	}
	return machines
}
