package gradientinversion

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/algo/gossip"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/graph/graphfile"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/step"
)

// A learning is D-GD on a graph, one example a node.
type learning struct {
	protocol *gossip.Protocol
	weights  graph.Sequence
	slab     *sim.Slab
	run      *sim.Gossip
}

func learn(t testing.TB, g *graph.Graph, m model.Model, labels []float64, rounds, turns int, rate, sigma float64) *learning {
	t.Helper()
	w, err := graph.NewTransition(g, "hamilton")
	if err != nil {
		t.Fatal(err)
	}
	const features = 6
	l := &learning{weights: graph.Fixed(w.Sparse()), slab: &sim.Slab{Features: features, Offsets: []int{0}}}
	r := rand.New(rand.NewPCG(1, 2))
	for v := range g.Len() {
		for range features {
			l.slab.X = append(l.slab.X, r.NormFloat64()/2)
		}
		l.slab.Y, l.slab.Offsets = append(l.slab.Y, labels[r.IntN(len(labels))]), append(l.slab.Offsets, v+1)
	}
	l.protocol = &gossip.Protocol{
		Local: descent.Local{Params: m.Params(features), Objective: model.Objective{Model: m}, StepSize: descent.StepSize{Base: rate},
			Noise: noise.Gaussian{Clip: 1, Multiplier: sigma}},
		Nodes: g.Len(), Rounds: rounds, TurnsPerRound: turns, Gamma: 1,
	}
	l.run = &sim.Gossip{Protocol: l.protocol, Holdings: l.slab, Weights: l.weights, Seed: 3}
	return l
}

// attacked returns the result of an attack on the run.
func (l *learning) attacked(t testing.TB, attackers ...int) *Found {
	t.Helper()
	p := l.protocol
	a, err := Prepare(p, l.weights, true, attackers, "", Inversion{Model: p.Objective.Model, Features: l.slab.Features, Theta: make([]float64, p.Params)})
	if err != nil {
		t.Fatal(err)
	}
	seen, watch := a.Knowledge().Listen(p.Params)
	if _, err := l.run.Bulk(context.Background(), sim.GossipWatcher{Values: watch}); err != nil {
		t.Fatal(err)
	}
	return a.Run(seen)
}

// exact counts the nodes that were found to 1e-6 with their labels.
func (l *learning) exact(f *Found) (nodes []int) {
	for u, p := range f.Points {
		if s := Compare(p, l.slab.Examples(step.NodeID(u)), Span(l.slab.All())); s.Error <= Precise && s.Labeled {
			nodes = append(nodes, u)
		}
	}
	return nodes
}

// On a line the node at the end finds its neighbour in the first message. By running the protocol with
// its results it finds the examples of all nodes that rounding leaves, although gradients change in every
// round.
func TestRefiningMakesExamplesExact(t *testing.T) {
	g, err := gen.Parse("line:31", 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []model.Model{model.Logistic{Intercept: true}, model.NewMultinomial(2, true, nil)} {
		l := learn(t, g, m, []float64{-1, 1}, 30, 1, 0.001, 0)
		f := l.attacked(t, 0)
		if exact := l.exact(f); len(exact) < 12 || exact[11] != 12 {
			t.Errorf("%s: exact are %v, unexplained %g", m.Name(), exact, f.Unexplained)
		}
	}
}

func open(t *testing.T, path string) *graph.Graph {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		t.Skip(err)
	}
	g, err := graphfile.Open(path, 1)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// largest is the largest component of g.
func largest(t *testing.T, g *graph.Graph) *graph.Graph {
	t.Helper()
	of, sizes := g.Components()
	best := int32(slices.Index(sizes, slices.Max(sizes)))
	number, next := make([]int, g.Len()), 0
	for v := range number {
		if of[v] == best {
			number[v] = next
			next++
		}
	}
	var edges [][2]int
	for v := range number {
		for _, u := range g.Neighbours(v) {
			if of[v] == best && int(u) < v {
				edges = append(edges, [2]int{number[u], number[v]})
			}
		}
	}
	h, err := graph.FromEdges("largest component", next, edges)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// overheard keeps the values that a machine receives.
type overheard struct {
	step.Machine
	heard map[Row][]float64
}

func (o *overheard) Step(m step.Msg, out *step.Out) {
	if m.Kind == gossip.Value {
		x, err := bodyOf(m)
		if err != nil {
			panic(err)
		}
		o.heard[Row{m.Turn, int(m.From)}] = x
	}
	o.Machine.Step(m, out)
}

func bodyOf(m step.Msg) ([]float64, error) {
	if len(m.Body) == 0 {
		return nil, fmt.Errorf("message %v without a body", m)
	}
	return slices.Clone(m.Body), nil
}

// Attackers see the same bits in a bulk run as their machines receive over a network that loses, repeats
// and delays messages, with noise and without.
func TestAttackersSeeWhatTheirMachinesReceive(t *testing.T) {
	g, err := gen.Parse("florentine", 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, sigma := range []float64{0, 0.5} {
		l := learn(t, g, model.Logistic{Intercept: true}, []float64{-1, 1}, 4, 2, 0.1, sigma)
		attackers := []int{1, 8}
		k, err := NewKnowledge(l.protocol, l.weights, attackers)
		if err != nil {
			t.Fatal(err)
		}
		seen, watch := k.Listen(l.protocol.Params)
		if _, err := l.run.Bulk(context.Background(), sim.GossipWatcher{Values: watch}); err != nil {
			t.Fatal(err)
		}
		machines := l.run.Machines(func(v step.NodeID) (near []step.NodeID) {
			for _, u := range g.Neighbours(int(v)) {
				near = append(near, step.NodeID(u))
			}
			return near
		}, nil)
		heard := map[Row][]float64{}
		for _, a := range attackers {
			machines[a] = &overheard{machines[a], heard}
		}
		network := sim.Network{Seed: 5, Delay: 7, Loss: 0.1, Duplicate: 0.1}
		if _, err := network.Run(context.Background(), machines, func(step.Release) {}); err != nil {
			t.Fatal(err)
		}
		for i, row := range k.Rows() {
			if got := seen.Heard[i*seen.Dim : (i+1)*seen.Dim]; !slices.Equal(got, heard[row]) {
				t.Fatalf("sigma %g, turn %d from %d: %v, the machine received %v", sigma, row.Turn, row.Node, got, heard[row])
			}
		}
	}
}

// Messages of nodes who were away when others contributed hold nothing, and both methods say so.
func TestMessagesWithoutContributions(t *testing.T) {
	g, err := gen.Parse("line:3", 1)
	if err != nil {
		t.Fatal(err)
	}
	l := learn(t, g, model.Logistic{Intercept: true}, []float64{-1, 1}, 1, 8, 0.1, 1)
	l.protocol.Asynchronous = true
	empty := 0
	for seed := range uint64(60) {
		weights := graph.Dropout(l.weights, 0.5, seed)
		k, err := NewKnowledge(l.protocol, weights, []int{0})
		if err != nil {
			t.Fatal(err)
		}
		if held := k.Matrix([]float64{0, 1, 1}, 1); len(held) == 0 || slices.Max(held) < 0 || slices.Min(held) < 0 {
			continue
		}
		empty++
		for _, m := range []Method{Ordinary, Generalised} {
			s, err := NewSolver(k, m, nil, nil)
			if err != nil {
				t.Fatalf("seed %d, %s: %v", seed, m, err)
			}
			if found := s.Solve(make([]float64, len(k.Rows())), 1, 1); slices.Contains(found.Resolved, true) {
				t.Errorf("seed %d, %s: %v is resolved", seed, m, found.Resolved)
			}
		}
	}
	if empty == 0 {
		t.Error("no run without contributions was drawn")
	}
}
