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

// Machines drop what a stranger sends, what is not theirs and what has the
// wrong shape, and answer a repeated token without doing its turn again.
func TestMachineDropsWhatItMustNotTake(t *testing.T) {
	w, graph := pair(1000)
	turns := 0
	m := w.Machines(graph.neighbours, func(step.Release, []float64) { turns++ })[1].(*walk.Machine)
	token := step.Msg{Kind: walk.Token, From: 0, To: 1, Turn: 5, Body: []float64{0}}
	bad := map[string]func(*step.Msg){
		"stranger":      func(m *step.Msg) { m.From = 7 },
		"itself":        func(m *step.Msg) { m.From = 1 },
		"not mine":      func(m *step.Msg) { m.To = 0 },
		"short":         func(m *step.Msg) { m.Body = nil },
		"long":          func(m *step.Msg) { m.Body = []float64{1, 2} },
		"before start":  func(m *step.Msg) { m.Turn = 0 },
		"after the end": func(m *step.Msg) { m.Turn = 1000 },
		"other lane":    func(m *step.Msg) { m.Lane = 1 },
		"unknown kind":  func(m *step.Msg) { m.Kind = 99 },
	}
	for name, spoil := range bad {
		msg := token
		spoil(&msg)
		var out step.Out
		m.Step(msg, &out)
		if turns != 0 || len(out.Msgs)+len(out.Releases)+len(out.Timers) != 0 {
			t.Errorf("%s: machine reacted with %+v", name, out)
		}
	}
	var out step.Out
	m.Step(token, &out)
	if turns == 0 || len(out.Releases) != turns {
		t.Fatalf("a good token made %d turns and %d releases", turns, len(out.Releases))
	}
	done, contributions := turns, m.Contributions()
	out.Reset()
	m.Step(token, &out)
	if turns != done || m.Contributions() != contributions || len(out.Msgs) != 1 || out.Msgs[0].Kind != walk.Ack {
		t.Errorf("a repeated token made %d turns and %+v", turns-done, out)
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
