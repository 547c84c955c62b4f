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
	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/step"
)

// wide is a run on a table of many columns, of so many rows a node.
func wide(t fataler, g *graph.Graph, m model.Model, features int, seed uint64, rows func(v int) int) *learning {
	t.Helper()
	w, err := graph.NewTransition(g, "hamilton")
	if err != nil {
		t.Fatal(err)
	}
	l := &learning{weights: graph.Fixed(w.Sparse()), slab: &sim.Slab{Features: features, Offsets: []int{0}}}
	r := rand.New(rand.NewPCG(seed, 9))
	for v := range g.Len() {
		for range rows(v) {
			for range features {
				l.slab.X = append(l.slab.X, r.NormFloat64()/math.Sqrt(float64(features)))
			}
			l.slab.Y = append(l.slab.Y, float64(2*r.IntN(2)-1))
		}
		l.slab.Offsets = append(l.slab.Offsets, len(l.slab.Y))
	}
	l.protocol = &gossip.Protocol{
		Local: descent.Local{Params: m.Params(features), Objective: model.Objective{Model: m}, StepSize: descent.StepSize{Base: 0.5}, Noise: noise.Gaussian{Clip: 10}},
		Nodes: g.Len(), Rounds: 10, TurnsPerRound: 1, Gamma: 1,
	}
	l.run = &sim.Gossip{Protocol: l.protocol, Holdings: l.slab, Weights: l.weights, Seed: 3}
	return l
}

// Behind messages on a table that is far wider than there are nodes every example is exact, in a time that does not grow with the
// cube of the width: with 400 columns a step of the search in them is more than all the work that there is.
func TestWideTablesAreNarrow(t *testing.T) {
	testdata.Sequential(t)
	g, err := gen.Parse("er:n=12,p=0.3,seed=3,connected", 1)
	if err != nil {
		t.Fatal(err)
	}
	l := wide(t, g, model.Logistic{Intercept: true}, 400, 1, func(int) int { return 1 })
	for _, attacker := range []int{0, 2} {
		f := l.unravelled(t, attacker, 4e9)
		solved := 0
		for u := range g.Len() {
			if u == attacker {
				continue
			}
			if s := Compare(f.Points[u], l.slab.Examples(step.NodeID(u)), 1); s.Error > Precise || f.Points[u].Label != l.slab.Y[u] {
				t.Errorf("attacker %d, node %d: error %g, label %g of %g", attacker, u, s.Error, f.Points[u].Label, l.slab.Y[u])
			}
			if f.Solved[u] {
				solved++
			}
		}
		if solved == 0 || f.Dim != l.protocol.Params || len(f.Gradients[0]) != f.Dim {
			t.Errorf("attacker %d: %d solved, %d numbers of %d", attacker, solved, len(f.Gradients[0]), l.protocol.Params)
		}
	}
}

// Whatever is said to be sure on a wide table is exact, as it is in all columns, and nothing is lost: on graphs with nodes that
// nobody can tell apart, gradients that are cut, penalties, with and without a constant, and nodes with no row or two.
func TestNarrowAttacksAreSureOfTheTruthAlone(t *testing.T) {
	testdata.Sequential(t)
	drawn, narrowed, sure := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		drawn++
		n, seed := rapid.IntRange(2, 8).Draw(t, "n"), rapid.Uint64Range(1, 1000).Draw(t, "seed")
		g := connected(t, n)
		m := rapid.SampledFrom([]model.Model{model.Logistic{Intercept: true}, model.Logistic{Intercept: true}, model.Logistic{}, model.Ridge{Intercept: true}}).Draw(t, "model")
		odd := rapid.SampledFrom([]int{1, 1, 1, 0, 2}).Draw(t, "rows of the last")
		l := wide(t, g, m, 24, seed, func(v int) int {
			if v == n-1 {
				return odd
			}
			return 1
		})
		p := l.protocol
		p.Noise.Clip = rapid.SampledFrom([]float64{0.3, 10}).Draw(t, "clip")
		p.Objective.L2 = rapid.SampledFrom([]float64{0, 0.1}).Draw(t, "l2")
		p.Rounds, p.TurnsPerRound = rapid.IntRange(1, 8).Draw(t, "rounds"), rapid.IntRange(1, 2).Draw(t, "turns")
		a, err := Prepare(p, l.weights, true, []int{0}, "", Inversion{Model: m, Features: 24, Theta: p.Begin()})
		if err != nil {
			t.Fatal(err)
		}
		a.Work = 2e8
		seen, watch := a.Knowledge().Listen(p.Params)
		if _, err := l.run.Bulk(context.Background(), sim.GossipWatcher{Values: watch}); err != nil {
			t.Fatal(err)
		}
		if _, _, w := a.narrowed(seen); w == nil {
			t.Skip("as wide as it is")
		}
		narrowed++
		f := a.Run(seen)
		a.Work = 0 // the node-by-node part no longer needs all columns
		whole, some := a.run(seen), 0
		for u := 1; u < n; u++ {
			if l.slab.Offsets[u+1]-l.slab.Offsets[u] != 1 {
				continue
			}
			if whole.Peeled != nil && whole.Peeled[u] && f.Peeled != nil && !f.Peeled[u] {
				t.Errorf("node %d follows in all columns, and not in few", u)
			}
			if !(f.Peeled != nil && f.Peeled[u] || f.Solved != nil && f.Solved[u]) {
				continue
			}
			some = 1
			if s := Compare(f.Points[u], l.slab.Examples(step.NodeID(u)), 1); s.Error > Precise {
				t.Errorf("node %d: error %g", u, s.Error)
			}
		}
		sure += some
	})
	drawntest.Often(t, "attacks are narrow", narrowed, drawn, 0.65)
	drawntest.Often(t, "narrow attacks are sure of somebody", sure, narrowed, 0.1)
}
