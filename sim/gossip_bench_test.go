package sim

import (
	"context"
	"fmt"
	"testing"

	"github.com/hearsay-dp/hearsay/algo/gossip"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/gen"
)

// A million nodes of degree 6 with 8 numbers each, averaging with
// acceleration: on a torus, whose neighbours are near in memory, and on a
// random regular graph, where each is a cache miss. The limit is memory: a turn
// reads the matrix (12 bytes an entry) and the values and writes as many, which
// BenchmarkGossipMemory moves without computing.
func BenchmarkGossipMillion(b *testing.B) {
	for _, expr := range []string{"torus:100x100x100", "regular:n=1000000,d=6,seed=1"} {
		g, err := gen.Parse(expr, 1)
		if err != nil {
			b.Fatal(err)
		}
		transition, err := graph.NewTransition(g, "")
		if err != nil {
			b.Fatal(err)
		}
		const turns = 20
		for _, workers := range []int{1, 2} {
			run := Gossip{
				Protocol: &gossip.Protocol{Local: averaging(8), Nodes: g.Len(), Rounds: 1, TurnsPerRound: turns, Gamma: 1.5},
				Holdings: values(g.Len(), 8), Weights: graph.Fixed(transition.Sparse()), Seed: 1, Workers: workers,
			}
			b.Run(fmt.Sprintf("%s/workers=%d", expr, workers), func(b *testing.B) {
				state := run.bulk()
				state.begin(0)
				b.ReportAllocs()
				for b.Loop() {
					state.average(1)
				}
				b.ReportMetric(float64(b.N)*float64(g.Len())/b.Elapsed().Seconds(), "node-rounds/s")
			})
		}
	}
}

// The bytes that a turn of a million nodes of degree 6 must move, moved once
// by copying.
func BenchmarkGossipMemory(b *testing.B) {
	const bytes = 1_000_000 * (7*12 + 8 + 3*64)
	from, to := make([]byte, bytes/2), make([]byte, bytes/2)
	for b.Loop() {
		copy(to, from)
	}
	b.ReportMetric(float64(b.N)*1e6/b.Elapsed().Seconds(), "node-rounds/s")
}

// The whole of a run of a small federation: 2048 nodes, 30 turns.
func BenchmarkGossipHypercube(b *testing.B) {
	g, err := gen.Parse("hypercube:11", 1)
	if err != nil {
		b.Fatal(err)
	}
	transition, err := graph.NewTransition(g, "")
	if err != nil {
		b.Fatal(err)
	}
	run := Gossip{
		Protocol: &gossip.Protocol{Local: averaging(8), Nodes: g.Len(), Rounds: 1, TurnsPerRound: 30, Gamma: 1.5},
		Holdings: values(g.Len(), 8), Weights: graph.Fixed(transition.Sparse()), Seed: 1,
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := run.Bulk(context.Background(), GossipWatcher{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*float64(30*g.Len())/b.Elapsed().Seconds(), "node-rounds/s")
}
