package sim

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/step"
)

func pair(steps int) (*Walk, lazyWalk) {
	p := &walk.Protocol{
		Local: descent.Local{
			Params: 1, Objective: model.Objective{Model: model.Mean{}},
			Noise: noise.Gaussian{Clip: 1, Multiplier: 1}, StepSize: descent.StepSize{Base: 0.1},
		},
		Nodes: 2, Steps: steps,
	}
	slab := &Slab{Features: 1, X: []float64{1, -1}, Y: []float64{0, 0}, Offsets: []int{0, 1, 2}}
	graph := lazyWalk{{1}, {0}}
	return &Walk{Protocol: p, Holdings: slab, Choose: graph, Seed: 4}, graph
}

// A network that loses everything makes no progress and says so.
func TestNetworkThatLosesEverythingEnds(t *testing.T) {
	w, graph := pair(50)
	net := Network{Loss: 1, MaxEvents: 1000}
	_, err := net.Run(context.Background(), w.Machines(graph.neighbours, nil), func(step.Release) {})
	if err == nil || !strings.Contains(err.Error(), "1000 events") {
		t.Fatalf("got %v", err)
	}
}

func TestBulkAndNetworkStopWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	w, graph := pair(10)
	if _, err := w.Bulk(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("bulk: %v", err)
	}
	if _, err := (Network{}).Run(ctx, w.Machines(graph.neighbours, nil), func(step.Release) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("network: %v", err)
	}
}
