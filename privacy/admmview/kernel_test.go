package admmview

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/algo/admm"
	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
)

func numbers(t *rapid.T, n int, size float64) []float64 {
	return rapid.SliceOfN(rapid.Float64Range(-size, size), n, n).Draw(t, "numbers")
}

// near is another vector, anywhere or close by.
func near(t *rapid.T, x []float64) []float64 {
	y := numbers(t, len(x), rapid.SampledFrom([]float64{1e-3, 0.1, 3}).Draw(t, "size"))
	for j := range y {
		y[j] += x[j]
	}
	return y
}

// realStep returns the kernel of a run without noise, and the Step that a plan uses for it.
func realStep(t *rapid.T) (admm.Local, Step) {
	m := rapid.SampledFrom([]model.Margined{model.Logistic{}, model.Ridge{}, model.Hinge{}, model.Absolute{}}).Draw(t, "loss")
	l := admm.New(admm.Local{
		Local: descent.Local{
			Params: 2, Objective: model.Objective{Model: m, L2: rapid.SampledFrom([]float64{0, 0.3, 2}).Draw(t, "l2")},
			Noise: noise.Gaussian{Clip: rapid.SampledFrom([]float64{0.1, 1, 8}).Draw(t, "clip")},
		},
		Gamma: rapid.SampledFrom([]float64{0.01, 0.5, 4}).Draw(t, "gamma"), Lambda: rapid.SampledFrom([]float64{0.1, 0.5, 1}).Draw(t, "lambda"),
		Tolerance: 1e-10,
		Regulariser: rapid.SampledFrom([]model.Regulariser{{}, {Kind: model.L1, Weight: 0.2}, {Kind: model.Box, Low: -0.5, High: 0.4},
			{Kind: model.Simplex, Total: 1}}).Draw(t, "regulariser"),
	})
	s := Step{Lambda: l.Lambda, Shrink: 1 / (1 + l.Gamma*l.Objective.L2), Regularised: l.Regulariser.Kind != "", Inexact: l.Tolerance}
	if beta := m.Guarantees(math.Sqrt2).LossSmoothness(); beta > 0 && !math.IsInf(beta, 1) {
		s.Memory = l.Gamma * s.Shrink * beta / (1 + l.Gamma*s.Shrink*beta)
	}
	return l, s
}

func someRows(t *rapid.T, n int) model.Examples {
	return model.Examples{Features: 2, X: numbers(t, 2*n, 1), Y: rapid.SliceOfN(rapid.SampledFrom([]float64{-1, 1}), n, n).Draw(t, "labels")}
}

// The kernel that runs carries differences where the plan says, whatever losses, penalty, regulariser and data, and those of u by
// a unit at most.
func TestTheKernelMovesAsThePlanSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, s := realStep(t)
		k := admm.NewKernel(&l, noise.NewSimulated(1))
		n := rapid.IntRange(1, 3).Draw(t, "rows")
		one, how, unit := someRows(t, n), Updates, 0.0
		two := one
		switch rapid.IntRange(0, 3).Draw(t, "who") {
		case 0:
			how = Drifts
		case 1:
			two, unit = someRows(t, n), 1
		case 2: // one row of u
			s.Kept, unit = true, 1/float64(n)
			two = model.Examples{Features: 2, X: append(numbers(t, 2, 1), one.X[2:]...), Y: append([]float64{-one.Y[0]}, one.Y[1:]...)}
		}
		move := NewPlan(s, 2, 0).moveOf(Turn{Holder: 1, How: how})
		if unit > 0 {
			move = s.own()
		}
		u1, zhat1 := numbers(t, 2, 2), numbers(t, 2, 2)
		u2, zhat2 := near(t, u1), near(t, zhat1)
		centre, apart, mean := make([]float64, 2), 0.0, 0.0
		for j := range centre {
			a, b := u2[j]-u1[j], zhat2[j]-zhat1[j]
			centre[j] = move.keep*a + move.drift*b
			apart, mean = math.Hypot(apart, a-move.toward*b), math.Hypot(mean, b)
		}
		for _, w := range []struct {
			u, zhat []float64
			ex      model.Examples
		}{{u1, zhat1, one}, {u2, zhat2, two}} {
			z := make([]float64, 2)
			l.Consensus(z, w.zhat)
			if how == Drifts {
				k.Drift(w.u, z, 0, 0, 0)
			} else {
				k.Update(w.u, z, w.ex, 1, nil, 0, 0, 0)
			}
		}
		off := math.Hypot(u2[0]-u1[0]-centre[0], u2[1]-u1[1]-centre[1])
		sensitivity := 4 * l.Lambda * l.Noise.Clip * l.Gamma * s.Shrink
		if most := move.spread*apart + move.beside*mean + (unit+s.Inexact)*sensitivity; off > most*(1+1e-9)+1e-9 {
			t.Fatalf("%+v %+v: %g from where the plan says, at most %g", l.Objective, s, off, most)
		}
	})
}
