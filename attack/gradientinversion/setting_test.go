package gradientinversion

import (
	"context"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/algo/gossip"
	"github.com/hearsay-dp/hearsay/graph"
	_ "github.com/hearsay-dp/hearsay/internal/draws"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/privacy/gossipview"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/step"
)

// tilted is the loss x'theta, whose gradient is x wherever the model is: Assumption 4.7 holds.
type tilted struct{ model.Mean }

func (tilted) Loss(theta, x []float64, _ float64) (sum float64) {
	for i, v := range x {
		sum += v * theta[i]
	}
	return sum
}

func (tilted) Gradient(dst, _, x []float64, _ float64) { copy(dst, x) }

// A setting is a run and who attacks it.
type setting struct {
	graph     *graph.Graph
	protocol  *gossip.Protocol
	sequence  func() graph.Sequence
	fixed     bool
	attackers []int
	values    []float64
	dim       int
	seed      uint64
}

// connected draws a connected graph of n nodes.
func connected(t *rapid.T, n int) *graph.Graph {
	var edges [][2]int
	for v := 1; v < n; v++ {
		edges = append(edges, [2]int{rapid.IntRange(0, v-1).Draw(t, "parent"), v})
	}
	for range rapid.IntRange(0, n).Draw(t, "more") {
		u, v := rapid.IntRange(0, n-1).Draw(t, "u"), rapid.IntRange(0, n-1).Draw(t, "v")
		if u != v {
			edges = append(edges, [2]int{min(u, v), max(u, v)})
		}
	}
	g, err := graph.FromEdges("drawn", n, unique(edges))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func unique(edges [][2]int) (kept [][2]int) {
	seen := map[[2]int]bool{}
	for _, e := range edges {
		if e = [2]int{min(e[0], e[1]), max(e[0], e[1])}; !seen[e] {
			seen[e] = true
			kept = append(kept, e)
		}
	}
	return kept
}

func drawSetting(t *rapid.T, objective model.Objective) setting {
	s := setting{dim: 2, seed: rapid.Uint64Range(1, 1000).Draw(t, "seed")}
	n := rapid.IntRange(2, 9).Draw(t, "n")
	s.graph = connected(t, n)
	w, err := graph.NewTransition(s.graph, "hamilton")
	if err != nil {
		t.Fatal(err)
	}
	s.protocol = &gossip.Protocol{
		Local: descent.Local{Params: s.dim, Objective: objective, StepSize: descent.StepSize{
			Base: rapid.SampledFrom([]float64{0.1, 1}).Draw(t, "step"), Power: rapid.SampledFrom([]float64{0, 0.5}).Draw(t, "power")},
			Noise: noise.Gaussian{Clip: 4}, Initial: []float64{0.5, -1}},
		Nodes: n, Rounds: rapid.IntRange(1, 5).Draw(t, "rounds"), TurnsPerRound: rapid.IntRange(1, 3).Draw(t, "turns"), Gamma: 1,
		Cap: rapid.SampledFrom([]int{0, 0, 2}).Draw(t, "cap"),
	}
	s.sequence, s.fixed = func() graph.Sequence { return graph.Fixed(w.Sparse()) }, true
	switch rapid.SampledFrom([]string{"fixed", "fixed", "accelerated", "each turn", "dropout", "matchings", "edges"}).Draw(t, "kind") {
	case "accelerated":
		s.protocol.Gamma = 1.3
	case "each turn":
		s.protocol.NoiseEachTurn = true
	case "dropout":
		s.fixed, s.protocol.Asynchronous = false, true
		s.sequence = func() graph.Sequence { return graph.Dropout(graph.Fixed(w.Sparse()), 0.3, s.seed) }
	case "matchings":
		s.fixed = false
		s.sequence = func() graph.Sequence { return graph.NewMatchingsOf(graph.Fixed(w.Sparse()), s.seed) }
	case "edges":
		s.fixed, s.protocol.Asynchronous = false, true
		s.sequence = func() graph.Sequence {
			a, err := graph.NewActivations(w.Sparse(), s.seed)
			if err != nil {
				t.Fatal(err)
			}
			return a
		}
	}
	s.attackers = rapid.SliceOfNDistinct(rapid.IntRange(0, n-1), 1, min(n-1, 3), rapid.ID[int]).Draw(t, "attackers")
	for range n * s.dim {
		s.values = append(s.values, rapid.Float64Range(-1, 1).Draw(t, "value"))
	}
	return s
}

func (s *setting) holdings() *sim.Slab {
	slab := &sim.Slab{Features: s.dim, X: s.values, Y: make([]float64, s.protocol.Nodes), Offsets: []int{0}}
	for v := range s.protocol.Nodes {
		slab.Offsets = append(slab.Offsets, v+1)
	}
	return slab
}

// view returns the attackers' view of averaging over as many turns; nil if weights change.
func (s *setting) view(t interface{ Fatal(...any) }) *gossipview.View {
	if !s.fixed {
		return nil
	}
	accountant, err := gossipview.New(s.sequence().Matrix(0), int(s.protocol.Turns()))
	if err != nil {
		t.Fatal(err)
	}
	view, err := accountant.Thorough(s.attackers)
	if err != nil {
		t.Fatal(err)
	}
	return view
}

// run runs the real protocol, in bulk, and returns the attackers' view and solver by a method.
func (s *setting) run(t interface{ Fatal(...any) }, m Method) (*Knowledge, *Seen, *Solver) {
	k, err := NewKnowledge(s.protocol, s.sequence(), s.attackers)
	if err != nil {
		t.Fatal(err)
	}
	seen, watch := k.Listen(s.dim)
	run := sim.Gossip{Protocol: s.protocol, Holdings: s.holdings(), Weights: s.sequence(), Seed: s.seed}
	if _, err := run.Bulk(context.Background(), sim.GossipWatcher{Values: func(t step.Turn, x []float64) { watch(t, x) }}); err != nil {
		t.Fatal(err)
	}
	solver, err := NewSolver(k, m, s.view(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	return k, seen, solver
}

// Gradients that stay the same come out as they are, of all whom averaging over as many turns gives
// away, in whatever run.
func TestGradientsThatStayTheSameComeOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSetting(t, model.Objective{Model: tilted{}, L2: rapid.SampledFrom([]float64{0, 0.1}).Draw(t, "l2")})
		method := rapid.SampledFrom([]Method{Ordinary, Generalised}).Draw(t, "method")
		k, seen, solver := s.run(t, method)
		rest := k.Remove(seen)
		found := solver.Solve(rest, s.dim, 10)
		if off := found.Residual * floats.Norm(rest, 2); off > 1e-11 {
			t.Fatalf("residual %g", found.Residual)
		}
		for u, resolved := range found.Resolved {
			for j, g := range found.Gradients[u] {
				if off := math.Abs(g - s.values[u*s.dim+j]); resolved && off > 1e-5 {
					t.Fatalf("node %d: off by %g, rounding %g", u, off, found.Rounding[u])
				}
			}
		}
		if !s.fixed {
			return
		}
		for _, u := range s.view(t).Reconstructed() {
			if !found.Resolved[u] && !k.attacker[u] && found.Rounding[u] < 1e-8 {
				t.Fatalf("node %d is reconstructed from averages, not from gradients: %s", u, fmt.Sprint(found.Gradients[u]))
			}
		}
		for u, resolved := range found.Resolved {
			if resolved && s.view(t).Leakage(u) < 1-1e-6 {
				t.Fatalf("node %d is resolved and not reconstructed", u)
			}
		}
	})
}
