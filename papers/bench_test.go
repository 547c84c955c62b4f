package papers

import (
	"context"
	"fmt"
	"testing"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/internal/family/gossipfamily"
	"github.com/hearsay-dp/hearsay/privacy/gossipview"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/spec"
	"github.com/hearsay-dp/hearsay/step"
)

// Ten iterations of Muffliato-GD on nodes with 4 rows each: a random graph is
// drawn, every node takes a noisy gradient, all average, and the losses towards
// one node are priced as published. bench/gossip.py is the same in numpy.
func BenchmarkMuffliatoGDIteration(b *testing.B) {
	const rounds = 10
	for _, n := range []int{2000, 4000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			setup := redrawnSetup(b, n, rounds)
			run := sim.Gossip{Protocol: setup.Protocol, Holdings: cloud(n), Weights: setup.Weights, Seed: 1}
			price := redrawn{rounds: rounds}
			for b.Loop() {
				if _, err := run.Bulk(context.Background(), sim.GossipWatcher{}); err != nil {
					b.Fatal(err)
				}
				if _, _, err := price.price(context.Background(), n); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N*rounds), "s/iteration")
		})
	}
}

func redrawnSetup(b *testing.B, n, rounds int) *gossipfamily.Algorithm {
	made, err := experiment.Parse(twoGaussians, "bench")
	if err != nil {
		b.Fatal(err)
	}
	redrawing(n)(made)
	made.Data.Rows, made.Trials, made.Algorithm.Steps, made.Algorithm.Clip = 4, 1, rounds, 0.3
	made.Algorithm.StepSize, made.Model.L2 = spec.StepSize{Base: 0.01}, 0
	setup, err := experiment.Prepare(context.Background(), made, nil)
	if err != nil {
		b.Fatal(err)
	}
	return setup.Algorithm.(*gossipfamily.Algorithm)
}

// cloud gives each node 4 rows of 8 features.
func cloud(n int) *sim.Slab {
	var stream step.Stream
	rng := stream.At(1, 0, 0, 0, step.Placement)
	s := &sim.Slab{Features: 8, X: make([]float64, n*4*8), Y: make([]float64, n*4)}
	for i := range s.X {
		s.X[i] = rng.NormFloat64()
	}
	for i := range s.Y {
		s.Y[i] = 1
		if s.X[i*8] < 0 {
			s.Y[i] = -1
		}
	}
	for v := range n + 1 {
		s.Offsets = append(s.Offsets, 4*v)
	}
	return s
}

// One step of Table C.2 with 1000 nodes, 10 % of them away: a random graph is
// drawn, all average, and the loss of one node towards all is priced.
func BenchmarkDropoutStep(b *testing.B) {
	drawn, err := gen.Redrawn("er:n=1000,p=0.002", "hamilton", 1, 1)
	if err != nil {
		b.Fatal(err)
	}
	drawn = graph.Dropout(drawn, 0.1, 1)
	rows, towards := newMessages(1000), make([]float64, 1000)
	x, next := make([]float64, 1000), make([]float64, 1000)
	x[0] = 1
	var t step.Turn
	for b.Loop() {
		w := drawn.Matrix(t)
		rows.charge(towards, w, 0)
		rows.advance(w)
		w.MulBlock(next, x, 1)
		x, next = next, x
		t++
	}
}

// The published losses of all pairs of 2048 nodes, of which the papers' code
// computes those of one node.
func BenchmarkPublishedGossip2048(b *testing.B) {
	for _, expr := range []string{hypercubeGraph, gridGraph} {
		b.Run(expr, func(b *testing.B) {
			all, err := parsed([][2]string{{expr, expr}}, 1)
			if err != nil {
				b.Fatal(err)
			}
			accountant, err := gossipview.New(all[0].w, all[0].rounds()+1)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				accountant.PublishedSum(1)
			}
		})
	}
}
