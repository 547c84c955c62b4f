package sim

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/hearsay-dp/hearsay/algo/gossip"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/graph/graphfile"
	"github.com/hearsay-dp/hearsay/internal/testdata"
)

// A million nodes of degree 6 with 8 numbers each, averaging with
// acceleration: on a torus, whose neighbours are near in memory, and on a
// random regular graph, of whose six neighbours no order brings many more than two
// near. The limit is memory: a turn reads the matrix (12 bytes an entry) and the
// values and writes as many, which BenchmarkGossipMemory moves without
// computing; what is not near is one line of 64 bytes each, which
// BenchmarkGossipLines reads without computing.
func BenchmarkGossipMillion(b *testing.B) {
	for _, expr := range []string{"torus:100x100x100", "regular:n=1000000,d=6,seed=1"} {
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/workers=%d", expr, workers), func(b *testing.B) { benchmarkTurns(b, graphOf(b, expr), 8, workers) })
		}
	}
}

// Graphs that are not regular, where nobody has numbered the nodes for us: a
// geometric one, and of those that exist a social network, mails and roads.
func BenchmarkGossipGraphs(b *testing.B) {
	graphs := map[string]func(b *testing.B) *graph.Graph{
		"geometric":  func(b *testing.B) *graph.Graph { return graphOf(b, "geometric:n=500000,r=0.002,seed=1") },
		"soc-douban": func(b *testing.B) *graph.Graph { return published(b, "soc-douban") },
		"Enron":      func(b *testing.B) *graph.Graph { return published(b, "email-Enron") },
		"Luxembourg": func(b *testing.B) *graph.Graph { return published(b, "luxembourg-osm") },
	}
	for _, name := range slices.Sorted(maps.Keys(graphs)) {
		for _, params := range []int{1, 8, 32} {
			b.Run(fmt.Sprintf("%s/numbers=%d", name, params), func(b *testing.B) { benchmarkTurns(b, graphs[name](b), params, 1) })
		}
	}
}

// benchmarkTurns takes turns of averaging over g.
func benchmarkTurns(b *testing.B, g *graph.Graph, params, workers int) {
	transition, err := graph.NewTransition(g, "hamilton")
	if err != nil {
		b.Fatal(err)
	}
	run := Gossip{
		Protocol: &gossip.Protocol{Local: averaging(params), Nodes: g.Len(), Rounds: 1, TurnsPerRound: 100, Gamma: 1.5},
		Holdings: values(g.Len(), params), Weights: graph.Fixed(transition.Sparse()), Seed: 1, Workers: workers,
	}
	state := run.bulk()
	state.begin(0)
	b.ReportAllocs()
	for b.Loop() {
		state.average(1)
	}
	b.ReportMetric(float64(b.N)*float64(g.Len())/b.Elapsed().Seconds(), "node-rounds/s")
}

func graphOf(b *testing.B, expr string) *graph.Graph {
	g, err := gen.Parse(expr, 1)
	if err != nil {
		b.Fatal(err)
	}
	return g
}

// published is a graph that others have published, if its file is here.
func published(b *testing.B, name string) *graph.Graph {
	path, ok := testdata.Find(b, "data/graphs/"+name+".txt.gz")
	if !ok {
		b.Skip("no file of " + name)
	}
	g, err := graphfile.Open(path, 1)
	if err != nil {
		b.Fatal(err)
	}
	return g
}

// Lines of 64 bytes read in a random order from as many values as a million nodes
// have, as many in flight as a processor will: what a turn can do with what is not near.
func BenchmarkGossipLines(b *testing.B) {
	const lines = 1_000_000
	x, order := make([]float64, 8*lines), rand.New(rand.NewPCG(1, 1)).Perm(lines)
	for i := range x {
		x[i] = 1
	}
	sum := 0.0
	for b.Loop() {
		for _, i := range order {
			sum += x[8*i]
		}
	}
	b.ReportMetric(float64(b.N)*lines/b.Elapsed().Seconds(), "lines/s")
	runtime.KeepAlive(sum)
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
