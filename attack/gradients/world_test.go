package gradients

import (
	"context"
	"math/rand/v2"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/algo/gossip"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/sim"
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

// listened is what attackers get to see.
func (l *learning) listened(t fataler, k *Knowledge) *Seen {
	t.Helper()
	seen, watch := k.Listen(l.protocol.Params)
	if _, err := l.run.Bulk(context.Background(), sim.GossipWatcher{Values: watch}); err != nil {
		t.Fatal(err)
	}
	return seen
}

// unravelled is what a node makes of the run.
func (l *learning) unravelled(t fataler, attacker int) *Found {
	t.Helper()
	p := l.protocol
	a, err := Prepare(p, l.weights, true, []int{attacker}, "", Inversion{Model: p.Objective.Model, Features: l.slab.Features, Theta: p.Begin()})
	if err != nil {
		t.Fatal(err)
	}
	a.Work = 2e9
	return a.Run(l.listened(t, a.Knowledge()))
}
