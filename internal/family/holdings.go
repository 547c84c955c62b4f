package family

import (
	"context"
	"fmt"
	"runtime"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/spec"
)

// A Ground is the graph of a spec, with its known properties.
type Ground struct {
	Spec       *spec.Spec
	Graph      *graph.Graph      // nil for algorithms that use none
	Transition *graph.Transition // nil likewise
	Gap        graph.Gap
	Mixing     float64         // upper bound of the mixing time, in turns; 1 where turns are independent, 0 where none is known
	Watch      *walkpath.Watch // reports the progress of the path accountant; nil: no reports
	Rows       dataset.Keeper  // keeps encoded rows; nil: none are kept
}

// Note returns a note about content of the graph's file that is not used, or "".
func (g *Ground) Note() string {
	if g.Graph == nil {
		return ""
	}
	return g.Graph.Dropped().Note()
}

// Holdings are a ground with data on its nodes and a model to fit to them.
type Holdings struct {
	Ground
	Federation  *dataset.Federation
	Objective   model.Objective
	Guarantees  model.Guarantees // for all rows the data can have
	Examples    sim.Holdings     // what the nodes hold
	Train, Test model.Examples
	// Resplit returns the same holdings with test rows chosen by another seed. nil: all trials keep the same rows for testing.
	Resplit func(seed uint64) (*Holdings, error)
	Public  bool // for a federation opened from public facts alone: no rows are present
}

// WithSpec returns the same holdings under a copy of the spec, to which it applies change.
func (h *Holdings) WithSpec(change func(*spec.Spec)) Holdings {
	other, own := *h, *h.Spec
	change(&own)
	other.Spec = &own
	return other
}

// Scales returns the factors on the nodes' gradients under a local step.
func (h *Holdings) Scales(ctx context.Context, local *descent.Local) ([]float64, error) {
	return sim.Scales(ctx, local, h.Spec.Nodes, h.Examples, runtime.GOMAXPROCS(0))
}

// CheckComplete refuses fewer than 3 nodes, and a graph in which some node is not a neighbour of all others.
func (h *Holdings) CheckComplete() error {
	n := h.Spec.Nodes
	if n < 3 {
		return fault.New(fmt.Sprintf("nodes: %d hide nobody", n), "use at least 3")
	}
	if h.Graph == nil {
		return nil
	}
	for u := range n {
		if h.Graph.Degree(u) != n-1 {
			return fault.New(fmt.Sprintf("graph: %s has an edge to %d of %d others, and the token goes to all", h.Name(u), h.Graph.Degree(u), n-1),
				fmt.Sprintf("use graph: complete:%d", n))
		}
	}
	return nil
}
