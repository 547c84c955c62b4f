package sim

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/step"
)

// cube walks on a hypercube of so many dimensions without storing it.
type cube int

func (c cube) Next(u int, r *rand.Rand) int {
	if k := r.IntN(int(c) + 1); k < int(c) {
		return u ^ 1<<k
	}
	return u
}

// logisticOn returns a private logistic walk on a hypercube of 2^dimension
// nodes with 8 rows of 8 features each, in the shape of the Houses run: unit
// rows, clipping 0.3, cap 12.
func logisticOn(dimension, steps int) *Walk { return logisticOf(1<<dimension, cube(dimension), steps) }

// logisticOf is such a walk on any graph of n nodes.
func logisticOf(n int, choose walk.Chooser, steps int) *Walk {
	const rows, features = 8, 8
	slab := &Slab{Features: features, X: make([]float64, n*rows*features), Y: make([]float64, n*rows), Offsets: make([]int, n+1)}
	var s step.Stream
	for v := range n {
		r := s.At(1, step.NodeID(v), 0, 0, step.Data)
		for i := v * rows; i < (v+1)*rows; i++ {
			x := slab.X[i*features : (i+1)*features]
			var square float64
			for j := range x {
				x[j] = r.NormFloat64()
				square += x[j] * x[j]
			}
			for j := range x {
				x[j] /= math.Sqrt(square)
			}
			slab.Y[i] = math.Copysign(1, x[0])
		}
		slab.Offsets[v+1] = (v + 1) * rows
	}
	slab.Norms = model.Norms(model.Logistic{Intercept: true}, slab.All())
	return &Walk{
		Protocol: &walk.Protocol{
			Local: descent.Local{
				Params: features + 1, Objective: model.Objective{Model: model.Logistic{Intercept: true}},
				Noise: noise.Gaussian{Clip: 0.3, Multiplier: 8}, StepSize: descent.StepSize{Base: 0.003}, Fill: true, MaxScale: 1000,
			},
			Nodes: n, Steps: steps, Cap: 12,
		},
		Holdings: slab, Choose: choose, Seed: 1,
	}
}

func runWalk(b *testing.B, w *Walk) {
	var err error
	if w.Scales, err = Scales(context.Background(), &w.Protocol.Local, w.Protocol.Nodes, w.Holdings, 2); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		if _, err := w.Bulk(context.Background(), nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*float64(w.Protocol.Steps)/b.Elapsed().Seconds(), "hops/s")
}

// The walk of the Houses spec (2048 nodes, 20,000 hops), on one core.
func BenchmarkWalkHouses(b *testing.B) { runWalk(b, logisticOn(11, 20_000)) }

// The same walk without a cap: every hop computes a gradient.
func BenchmarkWalkHousesUncapped(b *testing.B) {
	w := logisticOn(11, 20_000)
	w.Protocol.Cap = 0
	runWalk(b, w)
}

// A million nodes; reports the heap they take.
func BenchmarkWalkMillionNodes(b *testing.B) {
	w := logisticOn(20, 1_000_000)
	runWalk(b, w)
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.HeapAlloc)/1e6, "heap-MB")
	runtime.KeepAlive(w)
}
