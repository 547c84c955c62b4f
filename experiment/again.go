package experiment

import (
	"context"

	"github.com/hearsay-dp/hearsay/spec"
)

// Again prepares another spec on the graph and the rows of p. The spec may differ from that of p in algorithm, model and privacy.
// Its data, graph, weights and seed must be those of p.
func (p *Prepared) Again(ctx context.Context, given *spec.Spec) (*Prepared, error) {
	own, from := *given, p.Spec
	own.Seed, own.Data, own.Nodes, own.Graph, own.Weights, own.Directed, own.Dir, own.Matrix = from.Seed, from.Data, from.Nodes, from.Graph, from.Weights, from.Directed, from.Dir, from.Matrix
	resolveOwnFile(&own)
	h := *p.Holdings
	h.Spec = &own
	return makeAlgorithm(ctx, &h)
}
