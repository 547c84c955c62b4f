package gradientinversion

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/algo/gossip"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/step"
)

// fataler is a test, of package testing or of rapid.
type fataler interface {
	Helper()
	Fatal(args ...any)
}

// learnOn is D-GD with a logistic loss, ten rounds without noise, on rows around one mean for each label.
func learnOn(t fataler, g *graph.Graph, seed uint64) *learning {
	t.Helper()
	w, err := graph.NewTransition(g, "hamilton")
	if err != nil {
		t.Fatal(err)
	}
	const features = 3
	l := &learning{weights: graph.Fixed(w.Sparse()), slab: &sim.Slab{Features: features, Offsets: []int{0}}}
	r := rand.New(rand.NewPCG(seed, 2))
	for v := range g.Len() {
		y := float64(2*r.IntN(2) - 1)
		for range features {
			l.slab.X = append(l.slab.X, y+r.NormFloat64())
		}
		l.slab.Y, l.slab.Offsets = append(l.slab.Y, y), append(l.slab.Offsets, v+1)
	}
	m := model.Logistic{Intercept: true}
	l.protocol = &gossip.Protocol{
		Local: descent.Local{Params: m.Params(features), Objective: model.Objective{Model: m}, StepSize: descent.StepSize{Base: 0.1},
			Noise: noise.Gaussian{Clip: 10}},
		Nodes: g.Len(), Rounds: 10, TurnsPerRound: 1, Gamma: 1,
	}
	l.run = &sim.Gossip{Protocol: l.protocol, Holdings: l.slab, Weights: l.weights, Seed: 3}
	return l
}

// listened returns the attackers' view.
func (l *learning) listened(t fataler, k *Knowledge) *Seen {
	t.Helper()
	seen, watch := k.Listen(l.protocol.Params)
	if _, err := l.run.Bulk(context.Background(), sim.GossipWatcher{Values: watch}); err != nil {
		t.Fatal(err)
	}
	return seen
}

// unravelled returns the result of an attack by one node.
func (l *learning) unravelled(t fataler, attacker int, work float64) *Found {
	t.Helper()
	p := l.protocol
	a, err := Prepare(p, l.weights, true, []int{attacker}, "", Inversion{Model: p.Objective.Model, Features: l.slab.Features, Theta: p.Begin()})
	if err != nil {
		t.Fatal(err)
	}
	a.Work = work
	return a.Run(l.listened(t, a.Knowledge()))
}

// peeled returns a node's peeling of the run after sweeps sweeps, and the messages that nodes sent.
func (l *learning) peeled(t fataler, attacker, sweeps int) (p *peeling, sent [][]float64) {
	t.Helper()
	m := Inversion{Model: l.protocol.Objective.Model, Features: l.slab.Features, Theta: l.protocol.Begin()}
	a, err := Prepare(l.protocol, l.weights, true, []int{attacker}, "", m)
	if err != nil {
		t.Fatal(err)
	}
	seen, watch := a.Knowledge().Listen(l.protocol.Params)
	if _, err := l.run.Bulk(context.Background(), sim.GossipWatcher{Values: func(t step.Turn, x []float64) {
		watch(t, x)
		sent = append(sent, slices.Clone(x))
	}}); err != nil {
		t.Fatal(err)
	}
	p = a.unpeeled(seen, floats.Norm(seen.Heard, math.Inf(1)))
	for range sweeps {
		p.sweep()
	}
	return p, sent
}

// book is a node's own.
func (l *learning) book(p *peeling, u int) *replay {
	x, y := l.slab.Examples(step.NodeID(u)).Row(0)
	r := &replay{point: &Point{X: x, Label: y, Exact: true}, label: y, scale: 1}
	r.first = slices.Clone(p.attack.gradient(make([]float64, p.dim), p.attack.Inversion.Theta, r))
	return r
}
