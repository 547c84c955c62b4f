package gossipfamily

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/hearsay-dp/hearsay/algo/gossip"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/step"
)

// Machine implements family.Algorithm.
func (a *Algorithm) Machine(own family.Participant) family.Machine {
	p, source := a.Protocol, own.Noise
	if p.Pairwise > 0 {
		source = sharing{own.Noise, own.Shared}
	}
	m := gossip.NewMachine(p, own.ID, own.Neighbours, own.Examples, gossip.NewKernel(p, source, sampler{own.Router}), a.Weights)
	switch {
	case p.Pairwise > 0 && a.keys.Secrets != "":
		m.Introduce(own.Shared.(noise.Introduced))
	case p.Pairwise > 0:
		m.Agree(own.Shared)
	}
	if by, ok := own.Shared.(noise.Introduced); ok {
		a.agree(m, by)
	}
	over := func() bool { return m.Turn() == p.Turns() }
	model := m.Model
	if p.KeepMean {
		model = m.Mean
	}
	return family.Machine{Durable: m, Model: model, Contributions: m.Contributions, Over: over, Missed: m.Missed, There: m.There}
}

// A sharing is a node's own noise with the noise that it shares.
type sharing struct {
	noise.Source
	shared noise.Shared
}

// AddShared implements noise.Shared.
func (s sharing) AddShared(dst []float64, std float64, node, peer step.NodeID, t step.Turn, lane step.Lane) {
	s.shared.AddShared(dst, std, node, peer, t, lane)
}

// A sampler draws batches from secret randomness.
type sampler struct{ secret family.Router }

// At implements gossip.Sampler.
func (s sampler) At(step.NodeID, step.Turn) *rand.Rand { return s.secret.Rand() }

// Coalition implements family.Algorithm.
func (a *Algorithm) Coalition(ctx context.Context, priced family.Accounting) (*report.Coalition, error) {
	return a.pooled(ctx, priced.Sigma)
}

// Pairs implements family.Algorithm.
func (a *Algorithm) Pairs() error { return nil }

// Scoring implements family.Algorithm.
func (a *Algorithm) Scoring() family.Scoring {
	n := a.Protocol.Nodes
	s := family.Scoring{OwnModels: true, OwnValues: a.averaging(), Shares: slices.Repeat([]float64{1 / float64(n)}, n)}
	if a.keys.Wake != "edges" {
		return s
	}
	total := 0.0
	for v := range s.Shares { // a node wakes with each of its edges, drawn in proportion to its weight
		s.Shares[v] = 1 - a.Transition.At(v, v)
		total += s.Shares[v]
	}
	for v := range s.Shares {
		s.Shares[v] /= total
	}
	return s
}
