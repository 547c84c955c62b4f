package gradientinversion

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/algo/gossip"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/internal/drawntest"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/step"
)

// Peeled examples are exact, with any model, clipping, penalty, acceleration and weights, and however much gradients
// change in the run.
func TestPeeledExamplesAreExact(t *testing.T) {
	drawn, found := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		drawn++
		n := rapid.IntRange(2, 9).Draw(t, "n")
		w, err := graph.NewTransition(connected(t, n), "hamilton")
		if err != nil {
			t.Fatal(err)
		}
		seed := rapid.Uint64Range(1, 1000).Draw(t, "seed")
		m := rapid.SampledFrom([]model.Model{model.Logistic{Intercept: true}, model.Ridge{Intercept: true}, model.NewMultinomial(3, true, nil)}).Draw(t, "model")
		const features = 3
		slab, r := &sim.Slab{Features: features, Offsets: []int{0}}, rand.New(rand.NewPCG(seed, 5))
		for v := range n {
			for range features {
				slab.X = append(slab.X, r.NormFloat64())
			}
			y := float64(2*r.IntN(2) - 1)
			if m.Name() == "multinomial" {
				y = float64(r.IntN(3))
			}
			slab.Y, slab.Offsets = append(slab.Y, y), append(slab.Offsets, v+1)
		}
		p := &gossip.Protocol{
			Local: descent.Local{Params: m.Params(features), Noise: noise.Gaussian{Clip: rapid.SampledFrom([]float64{0.7, 10}).Draw(t, "clip")},
				Objective: model.Objective{Model: m, L2: rapid.SampledFrom([]float64{0, 0.1}).Draw(t, "l2")},
				StepSize:  descent.StepSize{Base: rapid.SampledFrom([]float64{0.02, 0.1, 0.4}).Draw(t, "step")}},
			Nodes: n, Rounds: rapid.IntRange(1, 6).Draw(t, "rounds"), TurnsPerRound: rapid.IntRange(1, 3).Draw(t, "turns"),
			Gamma: rapid.SampledFrom([]float64{1, 1, 1.3}).Draw(t, "gamma"),
		}
		fixed := rapid.Bool().Draw(t, "fixed")
		if p.Asynchronous = !fixed; !fixed {
			p.Gamma = 1 // acceleration wants the same weights at every turn
		}
		sequence := func() graph.Sequence {
			if fixed {
				return graph.Fixed(w.Sparse())
			}
			return graph.Dropout(graph.Fixed(w.Sparse()), 0.3, seed)
		}
		attackers := rapid.SliceOfNDistinct(rapid.IntRange(0, n-1), 1, min(n-1, 2), rapid.ID[int]).Draw(t, "attackers")
		a, err := Prepare(p, sequence(), fixed, attackers, "", Inversion{Model: m, Features: features, Theta: p.Begin()})
		if err != nil {
			t.Fatal(err)
		}
		seen, watch := a.Knowledge().Listen(p.Params)
		run := &sim.Gossip{Protocol: p, Holdings: slab, Weights: sequence(), Seed: seed}
		if _, err := run.Bulk(context.Background(), sim.GossipWatcher{Values: watch}); err != nil {
			t.Fatal(err)
		}
		some := 0
		for u, book := range a.peel(seen, 1, mostOff).books {
			if book == nil {
				continue
			}
			some = 1
			if s := Compare(book.point, slab.Examples(step.NodeID(u)), 1); s.Error > Precise || math.Abs(book.label-slab.Y[u]) > Precise {
				t.Fatalf("node %d: error %g, label %g of %g", u, s.Error, book.label, slab.Y[u])
			}
		}
		found += some
	})
	drawntest.Often(t, "something is peeled off", found, drawn, 0.6)
}

// If gradients change much, peeling finds a line layer by layer, where refining the least-squares solution ends with the
// neighbour.
func TestPeelingGoesOnBehindNeighbours(t *testing.T) {
	g, err := gen.Parse("line:9", 1)
	if err != nil {
		t.Fatal(err)
	}
	l := learn(t, g, model.Logistic{Intercept: true}, []float64{-1, 1}, 9, 1, 1, 0)
	l.protocol.Noise.Clip = 10
	f := l.attacked(t, 0)
	if exact := l.exact(f); len(exact) != g.Len()-1 {
		t.Errorf("exact are %v, unexplained %g", exact, f.Unexplained)
	}
}
