package fixedpoint

import (
	"context"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// A setting is nodes with examples, and a step on them.
type setting struct {
	local descent.Local
	held  []model.Examples
	seed  uint64
	drawn []step.NodeID // one a step
}

func (s *setting) examples(v step.NodeID) model.Examples { return s.held[v] }
func (s *setting) one(k int) []step.NodeID               { return s.drawn[k : k+1] }

const features, steps = 3, 6

// examplesOf draws a node's examples.
func examplesOf(t *rapid.T) model.Examples {
	rows := rapid.IntRange(0, 3).Draw(t, "rows")
	return model.Examples{
		Features: features,
		X:        rapid.SliceOfN(rapid.Float64Range(-1, 1), rows*features, rows*features).Draw(t, "x"),
		Y:        rapid.SliceOfN(rapid.SampledFrom([]float64{-1, 1}), rows, rows).Draw(t, "y"),
	}
}

// randomSetting is one of a model whose clipped gradients are those of a convex function,
// at steps of at most 2/smoothness.
func randomSetting(t *rapid.T, r model.Regulariser) *setting {
	m := rapid.SampledFrom([]model.Model{model.Logistic{Intercept: true}, model.Ridge{Intercept: true}, model.Ridge{}}).Draw(t, "model")
	s := &setting{seed: rapid.Uint64().Draw(t, "seed")}
	for range rapid.IntRange(1, 4).Draw(t, "nodes") {
		s.held = append(s.held, examplesOf(t))
	}
	o := model.Objective{Model: m, L2: rapid.SampledFrom([]float64{0, 0.2}).Draw(t, "l2"), Regulariser: r}
	s.local = descent.Local{
		Params: m.Params(features), Objective: o, Noise: noise.Gaussian{Clip: 0.5, Multiplier: 1.5},
		StepSize: descent.StepSize{Base: rapid.Float64Range(0.1, 1).Draw(t, "step") * 2 / o.Guarantees(math.Sqrt(features)).Smoothness()},
	}
	for range steps {
		s.drawn = append(s.drawn, step.NodeID(rapid.IntRange(0, len(s.held)-1).Draw(t, "drawn")))
	}
	return s
}

func (s *setting) operator(draw Draw) *ForwardBackward {
	return NewForwardBackward(s.local, len(s.held), draw, s.examples, nil)
}

// run is the iteration from 0, and what it released.
func (s *setting) run(t *rapid.T, op Operator, a Activation, lambda float64) (u []float64, all []step.Release) {
	it := Iteration{Operator: op, Activation: a, Lambda: lambda, Source: noise.NewSimulated(s.seed)}
	u = make([]float64, s.local.Params)
	err := it.Run(context.Background(), u, steps, func(_ int, r step.Release, released bool, _ []float64) {
		if released {
			all = append(all, r)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return u, all
}

func closeTo(a, b []float64, within float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) <= within*(1+math.Abs(x)) })
}

// Proposition 8.3: DP-SGD is the iteration of u - s grad f, draw for draw. At lambda 1 it
// is the step that walks and baselines take, to the bit; at s = 2/smoothness and lambda it
// is gradient descent at lambda s, with noise that is lambda s times that of a gradient.
func TestDPSGDIsAnInstance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := randomSetting(t, model.Regulariser{})
		lambda := rapid.SampledFrom([]float64{1, 1, 0.3}).Draw(t, "lambda")
		got, all := s.run(t, s.operator(s.one), All(Blocks(s.local.Params, 1)), lambda)
		direct := s.local
		direct.StepSize.Base *= lambda
		kernel, x := descent.NewKernel(&direct, noise.NewSimulated(s.seed)), make([]float64, s.local.Params)
		for k, v := range s.drawn {
			want := step.Release{From: v, Turn: step.Turn(k)}
			if s.held[v].Len() == 0 {
				kernel.NoiseOnly(x, k, &want)
			} else {
				kernel.Contribute(x, &s.held[v], 1, k, &want)
			}
			if r := all[k]; math.Abs(r.Multiplier()-want.Multiplier()) > 1e-12 || r.From != want.From || r.Contributed != want.Contributed {
				t.Fatalf("step %d releases %+v, directly %+v", k, r, want)
			}
		}
		if lambda == 1 && !slices.Equal(got, x) || !closeTo(got, x, 1e-12) {
			t.Fatalf("at lambda %g: %v, directly %v", lambda, got, x)
		}
	})
}

// DP proximal SGD is the iteration of (I - s grad f) prox, whose model is its proximal
// point: z <- prox(z - s (gradient + noise)), draw for draw and to the bit.
func TestDPProximalSGDIsAnInstance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rapid.SampledFrom([]model.Regulariser{{Kind: model.L1, Weight: 0.1}, {Kind: model.Box, Low: -0.1, High: 0.2}, {Kind: model.Simplex, Total: 1}}).Draw(t, "r")
		s := randomSetting(t, r)
		op := s.operator(s.one)
		u, _ := s.run(t, op, All(Blocks(s.local.Params, 1)), 1)
		got := make([]float64, len(u))
		op.Model(got, u, steps)
		kernel, z := descent.NewKernel(&s.local, noise.NewSimulated(s.seed)), make([]float64, len(u))
		r.Prox(z, z, s.local.StepSize.Base) // where it begins
		for k, v := range s.drawn {
			release := step.Release{From: v, Turn: step.Turn(k)}
			if s.held[v].Len() == 0 {
				kernel.NoiseOnly(z, k, &release)
			} else {
				kernel.Contribute(z, &s.held[v], 1, k, &release)
			}
			r.Prox(z, z, s.local.StepSize.Base)
		}
		if !slices.Equal(got, z) {
			t.Fatalf("%+v: %v, directly %v", r, got, z)
		}
	})
}

// Proposition 8.4: DP coordinate descent, each example's gradient clipped in the block
// that is updated, against a loop that knows nothing of operators.
func TestDPCoordinateDescentIsAnInstance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := randomSetting(t, model.Regulariser{})
		p := s.local.Params
		blocks := Blocks(p, rapid.IntRange(1, p).Draw(t, "blocks"))
		activation := rapid.SampledFrom([]func() Activation{
			func() Activation { return Cyclic(blocks) },
			func() Activation { return &Uniform{Blocks: blocks, Seed: s.seed} },
			func() Activation { return &Random{Blocks: blocks, Seed: s.seed, Probability: 0.4} },
		}).Draw(t, "activation")
		lambda := rapid.SampledFrom([]float64{1, 0.5}).Draw(t, "lambda")
		got, all := s.run(t, s.operator(Everybody(len(s.held))), activation(), lambda)
		want, active := make([]float64, p), activation()
		source, n, size := noise.NewSimulated(s.seed), float64(len(s.held)), s.local.StepSize.Base
		released := 0
		for k := range steps {
			from := slices.Clone(want)
			now := active.Active(k)
			for _, b := range now {
				gradient := s.directly(from, now)
				for j := b.Lo; j < b.Hi; j++ {
					want[j] -= lambda * size * (gradient[j] + s.local.Objective.L2*from[j])
				}
				source.Add(want[b.Lo:b.Hi], lambda*size*s.local.Noise.Std()/n, 0, step.Turn(k), step.Lane(b.Index))
			}
			if len(now) > 0 {
				released++
			}
		}
		if !closeTo(got, want, 1e-11) || released != len(all) {
			t.Fatalf("%v after %d releases, directly %v after %d", got, len(all), want, released)
		}
	})
}

// directly is the mean over nodes of the mean of gradients, each clipped in the active
// blocks.
func (s *setting) directly(u []float64, active []Block) []float64 {
	mean, one := make([]float64, len(u)), make([]float64, len(u))
	for _, ex := range s.held {
		for i := range ex.Len() {
			x, y := ex.Row(i)
			s.local.Objective.Gradient(one, u, x, y)
			norm := 0.0
			for _, b := range active {
				norm = math.Hypot(norm, sparse.Norm(one[b.Lo:b.Hi]))
			}
			factor := 1 / float64(ex.Len()*len(s.held))
			if norm > s.local.Noise.Clip {
				factor *= s.local.Noise.Clip / norm
			}
			sparse.Axpy(mean, factor, one)
		}
	}
	return mean
}

// The operator contracts as its model says: by the Lipschitz constant of a gradient step,
// over what a strongly convex regulariser shrinks.
func TestForwardBackwardContracts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rapid.SampledFrom([]model.Regulariser{{}, {Kind: model.L1, Weight: 0.1}, {Kind: model.SquaredL2, Weight: 0.5}, {Kind: model.Simplex, Total: 1}}).Draw(t, "r")
		s := randomSetting(t, r)
		blocks := All(Blocks(s.local.Params, 1))
		op := s.operator(Everybody(len(s.held)))
		u, v := make([]float64, s.local.Params), make([]float64, s.local.Params)
		for j := range u {
			u[j], v[j] = rapid.Float64Range(-3, 3).Draw(t, "u"), rapid.Float64Range(-3, 3).Draw(t, "v")
		}
		ru, rv := slices.Clone(u), slices.Clone(v)
		op.Apply(ru, u, 0, blocks)
		op.Apply(rv, v, 0, blocks)
		tau := Contraction(&s.local, s.local.Objective.Guarantees(math.Sqrt(features)))
		sparse.Axpy(u, -1, v)
		sparse.Axpy(ru, -1, rv)
		if got, most := sparse.Norm(ru), tau*sparse.Norm(u); got > most+1e-12 {
			t.Fatalf("%+v: %g apart after %g, tau %g", r, got, sparse.Norm(u), tau)
		}
	})
}

// Whatever a node holds instead, what a step lets out moves by at most the sensitivity
// that it states.
func TestSensitivityOfAStep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := randomSetting(t, model.Regulariser{Kind: model.L1, Weight: 0.1})
		p, n := s.local.Params, len(s.held)
		blocks := Blocks(p, rapid.IntRange(1, p).Draw(t, "blocks"))
		active := blocks[:rapid.IntRange(1, len(blocks)).Draw(t, "active")]
		m := rapid.IntRange(1, n).Draw(t, "drawn")
		op := s.operator(Several(m, n, s.seed))
		u := rapid.SliceOfN(rapid.Float64Range(-3, 3), p, p).Draw(t, "u")
		before, after := make([]float64, p), make([]float64, p)
		release := op.Apply(before, u, 1, active)
		s.held[rapid.IntRange(0, n-1).Draw(t, "who")] = examplesOf(t)
		op.Apply(after, u, 1, active)
		moved := 0.0
		for _, b := range active {
			for j := b.Lo; j < b.Hi; j++ {
				moved = math.Hypot(moved, after[j]-before[j])
			}
		}
		if moved > release.Sensitivity*(1+1e-12) {
			t.Fatalf("%d of %d: moved by %g, states %g", m, n, moved, release.Sensitivity)
		}
		if want := s.local.StepSize.Base * 2 * s.local.Noise.Clip / float64(m); math.Abs(release.Sensitivity-want) > 1e-12 || release.NoiseStd != 0 &&
			math.Abs(release.Multiplier()-s.local.Noise.Multiplier) > 1e-12 {
			t.Fatalf("%+v, want a sensitivity of %g", release, want)
		}
	})
}

// Draws are uniform without replacement: each of the 10 pairs of 5 within five standard
// errors over 20,000 draws, false alarm below 1e-5.
func TestSeveralAreDrawnUniformly(t *testing.T) {
	draw, count := Several(2, 5, 3), map[[2]step.NodeID]int{}
	for k := range 20000 {
		d := draw(k)
		count[[2]step.NodeID{d[0], d[1]}]++
	}
	if len(count) != 10 {
		t.Fatalf("%d pairs", len(count))
	}
	for pair, c := range count {
		if math.Abs(float64(c)-2000) > 5*math.Sqrt(20000*0.1*0.9) {
			t.Errorf("%v is drawn %d times", pair, c)
		}
	}
}
