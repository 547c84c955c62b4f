package fixedpoint

import (
	"context"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/algo/admm"
	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// randomConsensus is one of nodes with an ADMM step.
func randomConsensus(t *rapid.T) (admm.Local, *setting) {
	s := &setting{seed: rapid.Uint64().Draw(t, "seed")}
	for range rapid.IntRange(1, 4).Draw(t, "nodes") {
		s.held = append(s.held, examplesOf(t))
	}
	m := rapid.SampledFrom([]model.Model{model.Logistic{Intercept: true}, model.Ridge{}, model.Hinge{}}).Draw(t, "model")
	l := admm.New(admm.Local{
		Local: descent.Local{
			Params: m.Params(features), Noise: noise.Gaussian{Clip: 0.5, Multiplier: 1.5},
			Objective: model.Objective{Model: m, L2: rapid.SampledFrom([]float64{0, 0.3}).Draw(t, "l2")},
		},
		Gamma: rapid.Float64Range(0.1, 2).Draw(t, "gamma"), Lambda: rapid.SampledFrom([]float64{0.5, 1, 0.2}).Draw(t, "lambda"), Tolerance: 1e-12,
		Regulariser: model.Regulariser{Kind: model.L1, Weight: rapid.SampledFrom([]float64{0, 0.1}).Draw(t, "weight")},
	})
	return l, s
}

// ADMM's updates are the iteration of its operator, draw for draw: all blocks are Algorithm
// 8.2, random ones Algorithm 8.3.
func TestADMMIsAnInstance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, s := randomConsensus(t)
		n, p := len(s.held), l.Params
		blocks := Blocks(n*p, n)
		probability := rapid.SampledFrom([]float64{1, 0.5}).Draw(t, "probability")
		it := Iteration{
			Operator: NewConsensus(l, n, s.examples, nil), Lambda: l.Lambda, Source: noise.NewSimulated(s.seed),
			Activation: &Random{Blocks: blocks, Seed: s.seed, Probability: probability},
		}
		got, want := make([]float64, n*p), make([]float64, n*p)
		if err := it.Run(context.Background(), got, steps, func(_ int, r step.Release, released bool, _ []float64) {
			if released && r.Contributed && math.Abs(r.Multiplier()-l.Noise.Multiplier) > 1e-12 {
				t.Fatalf("released %+v", r)
			}
		}); err != nil {
			t.Fatal(err)
		}
		kernel, active := admm.NewKernel(&l, noise.NewSimulated(s.seed)), &Random{Blocks: blocks, Seed: s.seed, Probability: probability}
		zhat, z := make([]float64, p), make([]float64, p)
		for k := range steps {
			clear(zhat)
			for i, x := range want {
				zhat[i%p] += x / float64(n)
			}
			l.Consensus(z, zhat)
			for _, b := range active.Active(k) {
				v := step.NodeID(b.Index)
				kernel.Update(want[b.Lo:b.Hi], z, s.held[v], 1, nil, v, step.Turn(k), 0)
			}
		}
		if !closeTo(got, want, 1e-9) {
			t.Fatalf("%v, directly %v", got, want)
		}
	})
}

// The operator of ADMM moves no two points further apart, and where a factor is known by
// which it contracts, by that.
func TestADMMIsNonExpansive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, s := randomConsensus(t)
		n := len(s.held)
		op, blocks := NewConsensus(l, n, s.examples, nil), Blocks(n*l.Params, n)
		u, v := make([]float64, n*l.Params), make([]float64, n*l.Params)
		for j := range u {
			u[j], v[j] = rapid.Float64Range(-3, 3).Draw(t, "u"), rapid.Float64Range(-3, 3).Draw(t, "v")
		}
		ru, rv := make([]float64, len(u)), make([]float64, len(u))
		op.Apply(ru, u, 0, blocks)
		op.Apply(rv, v, 0, blocks)
		sparse.Axpy(u, -1, v)
		sparse.Axpy(ru, -1, rv)
		tau := ConsensusContraction(&l, l.Objective.Guarantees(math.Sqrt(features)))
		if _, corner := l.Objective.Model.(model.Hinge); tau == 1 && l.Objective.L2 > 0 && !corner {
			t.Fatal("no factor is known")
		}
		if got, most := sparse.Norm(ru), tau*sparse.Norm(u); got > most+1e-9 {
			t.Fatalf("%g apart after %g", got, most)
		}
	})
}
