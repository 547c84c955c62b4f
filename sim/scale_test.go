package sim

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/hearsay-dp/hearsay/algo/gossip"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/gen"
)

// tori of three dimensions, by their number of nodes: what grows in the curves of bench/README.md is their size alone.
var tori = []struct {
	n    int
	expr string
}{
	{100, "torus:4x5x5"}, {1000, "torus:10x10x10"}, {10_000, "torus:20x20x25"}, {100_000, "torus:40x50x50"},
	{1_000_000, "torus:100x100x100"}, {10_000_000, "torus:200x200x250"},
}

func onTori(b *testing.B, measure func(b *testing.B, g *graph.Graph)) {
	for _, t := range tori {
		b.Run(fmt.Sprintf("n=%d", t.n), func(b *testing.B) {
			g, err := gen.Parse(t.expr, 1)
			if err != nil {
				b.Fatal(err)
			}
			measure(b, g)
		})
	}
}

// A walk of as many hops as there are nodes, each with 8 rows of 8 features.
func BenchmarkScaleWalk(b *testing.B) {
	onTori(b, func(b *testing.B, g *graph.Graph) {
		w := logisticOf(g.Len(), along{g}, g.Len())
		var err error
		if w.Scales, err = Scales(context.Background(), &w.Protocol.Local, w.Protocol.Nodes, w.Holdings, 2); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if _, err := w.Bulk(context.Background(), nil); err != nil {
				b.Fatal(err)
			}
		}
		reportHeap(b)
		runtime.KeepAlive(w)
	})
}

// A turn in which all nodes average 8 numbers with their neighbours.
func BenchmarkScaleGossip(b *testing.B) {
	onTori(b, func(b *testing.B, g *graph.Graph) {
		transition, err := graph.NewTransition(g, "")
		if err != nil {
			b.Fatal(err)
		}
		run := Gossip{
			Protocol: &gossip.Protocol{Local: averaging(8), Nodes: g.Len(), Rounds: 1, TurnsPerRound: 20, Gamma: 1.5},
			Holdings: values(g.Len(), 8), Weights: graph.Fixed(transition.Sparse()), Seed: 1, Workers: 1,
		}
		state := run.bulk()
		state.begin(0)
		state.average(1) // the first turn touches memory that was never touched
		for b.Loop() {
			state.average(1)
		}
		reportHeap(b)
		runtime.KeepAlive(state)
	})
}
