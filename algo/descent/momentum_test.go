package descent

import (
	"math"
	"math/cmplx"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/noise"
)

// With a constant step size this is the heavy ball as Polyak (1964) has it, x' = x - gamma g + m (x - before).
func TestCarryIsTheHeavyBall(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := Local{Momentum: rapid.Float64Range(0.01, 0.99).Draw(t, "momentum"), StepSize: StepSize{Base: rapid.Float64Range(0.01, 100).Draw(t, "step")}}
		x, previous, velocity := 1.0, 1.0, []float64{0}
		got := []float64{1}
		for at := range 20 {
			g := rapid.Float64Range(-1, 1).Draw(t, "gradient")
			x, previous = x-l.StepSize.Base*g+l.Momentum*(x-previous), x
			before := slices.Clone(got)
			got[0] -= l.StepSize.Base * g
			l.Carry(got, before, velocity, at)
			if math.Abs(got[0]-x) > 1e-9*(1+math.Abs(x))*l.StepSize.Base/(1-l.Momentum) {
				t.Fatalf("step %d leads to %g, the heavy ball to %g", at, got[0], x)
			}
		}
	})
}

// With steps that fall, each is as long as its own size says: v is in units of gradients.
func TestCarryKnowsStepsThatFall(t *testing.T) {
	l := Local{Momentum: 0.5, StepSize: StepSize{Base: 2, Power: 1}}
	x, velocity := []float64{0}, []float64{0}
	for at, want := range []float64{-2, -3.5, -3.5 - 2.0/3*1.75} { // v = 1, 1.5, 1.75
		before := slices.Clone(x)
		x[0] -= l.StepSize.At(at)
		if l.Carry(x, before, velocity, at); math.Abs(x[0]-want) > 1e-12 {
			t.Errorf("step %d leads to %g instead of %g", at, x[0], want)
		}
	}
}

// What an input of a run adds to the values that follow is at most 1/(1-m), whatever averaging does to it, as long as
// the penalty is at most 2(1-m) over the step size, and where a run begins at most (1+m)/(1-m): what the box allows.
func TestMomentumLeavesNoBox(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.Float64Range(0.01, 0.99).Draw(t, "momentum")
		c := rapid.Float64Range(0, 2*(1-m)).Draw(t, "penalty")
		z := cmplx.Rect(rapid.SampledFrom([]float64{1, 0.9, 0.3, 0}).Draw(t, "length"), rapid.Float64Range(0, 2*math.Pi).Draw(t, "angle"))
		respond := func(z, x, u complex128) (most float64) {
			carried := complex(0, 0)
			for range 300 {
				carried = complex(m, 0)*carried - complex(c, 0)*x + u
				x, u = x+carried, 0
				most = max(most, cmplx.Abs(x)) // as it is sent
				x *= z
			}
			return most
		}
		if most := respond(z, 0, 1); most > (1+1e-9)/(1-m) {
			t.Fatalf("a step weighs %g, and %g at most", most, 1/(1-m))
		}
		if most := respond(1, 1, 0); most > (1+m+1e-9)/(1-m) {
			t.Fatalf("where it begins weighs %g, and %g at most", most, (1+m)/(1-m))
		}
	})
}

// A box with momentum is 1/(1-m) as large but for where the run begins, and the largest there is where nothing is proved.
func TestBoxWithMomentum(t *testing.T) {
	l := Local{Noise: noise.Gaussian{Clip: 1, Multiplier: 2}, StepSize: StepSize{Base: 0.5}, Initial: []float64{3}}
	plain := l.Bound(9)
	l.Momentum = 0.75
	if want := 4*(plain-3) + 3; math.Abs(l.Bound(9)-want) > 1e-3*want {
		t.Errorf("%g instead of %g", l.Bound(9), want)
	}
	if l.Objective.L2 = 0.5; l.Bound(9) < 4*(plain-3)+21 || l.Bound(9) == largestBox {
		t.Errorf("with a penalty %g", l.Bound(9))
	}
	for _, wrong := range []func(){func() { l.Objective.L2 = 1.1 }, func() { l.Objective.L2, l.StepSize.Power = 0.5, 0.5 }} {
		if wrong(); l.Bound(9) != largestBox {
			t.Errorf("%+v: %g", l.StepSize, l.Bound(9))
		}
	}
}
