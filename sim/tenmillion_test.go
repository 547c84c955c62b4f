package sim

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/hearsay-dp/hearsay/algo/gossip"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/gen"
)

// along walks on a graph: to a neighbour or nowhere, each alike.
type along struct{ *graph.Graph }

func (a along) Next(u int, r *rand.Rand) int {
	near := a.Neighbours(u)
	if k := r.IntN(len(near) + 1); k < len(near) {
		return int(near[k])
	}
	return u
}

// Ten million nodes on a torus of three dimensions, with 8 rows of 8 features each, and ten million hops; reports the heap that
// they take.
func BenchmarkWalkTenMillionNodes(b *testing.B) {
	g := tenMillion(b)
	w := logisticOf(g.Len(), along{g}, 10_000_000)
	runWalk(b, w)
	reportHeap(b)
	runtime.KeepAlive(w)
}

// The same nodes, averaging 8 numbers each.
func BenchmarkGossipTenMillion(b *testing.B) {
	g := tenMillion(b)
	transition, err := graph.NewTransition(g, "")
	if err != nil {
		b.Fatal(err)
	}
	run := Gossip{
		Protocol: &gossip.Protocol{Local: averaging(8), Nodes: g.Len(), Rounds: 1, TurnsPerRound: 20, Gamma: 1.5},
		Holdings: values(g.Len(), 8), Weights: graph.Fixed(transition.Sparse()), Seed: 1, Workers: 2,
	}
	state := run.bulk()
	state.begin(0)
	b.ResetTimer()
	for range b.N {
		state.average(1)
	}
	b.ReportMetric(float64(b.N)*float64(g.Len())/b.Elapsed().Seconds(), "node-rounds/s")
	reportHeap(b)
	runtime.KeepAlive(state)
}

func tenMillion(b *testing.B) *graph.Graph {
	b.Helper()
	g, err := gen.Parse("torus:200x200x250", 1)
	if err != nil {
		b.Fatal(err)
	}
	return g
}

func reportHeap(b *testing.B) {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.HeapAlloc)/1e6, "heap-MB")
}
