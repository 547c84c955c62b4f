package descent

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
)

// The sums of a bound are sums, or a little more.
func TestSumsOfStepSizes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := StepSize{Base: rapid.Float64Range(1e-3, 10).Draw(t, "base"), Power: rapid.SampledFrom([]float64{0, 0.5, 0.75, 1, 2}).Draw(t, "power")}
		n, power := rapid.IntRange(1, 500).Draw(t, "n"), rapid.SampledFrom([]float64{1, 2}).Draw(t, "of")
		sum := 0.0
		for i := range n {
			sum += math.Pow(s.At(i), power)
		}
		if got := s.sum(n, power); got < sum*(1-1e-12) || got > 2*sum*(1+1e-12) {
			t.Fatalf("%+v: sum of %d is bounded by %g, it is %g", s, n, got, sum)
		}
	})
}

// A run whose gradients all pull the same way, with noise of so many deviations
// in every step of the worst kind, stays in the box.
func TestTheWorstHonestRunStaysInTheBox(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := Local{
			Params: 1, Noise: noise.Gaussian{Clip: rapid.Float64Range(0.01, 10).Draw(t, "clip"), Multiplier: rapid.Float64Range(0, 20).Draw(t, "sigma")},
			StepSize:  StepSize{Base: rapid.Float64Range(1e-3, 2).Draw(t, "base"), Power: rapid.SampledFrom([]float64{0, 0.5, 1}).Draw(t, "power")},
			Objective: model.Objective{L2: rapid.Float64Range(0, 1).Draw(t, "l2")},
		}
		steps := rapid.IntRange(1, 300).Draw(t, "steps")
		x, variance := 0.0, 0.0
		for i := range steps {
			rate := l.StepSize.At(i)
			x = math.Abs(1-rate*l.Objective.L2)*x + rate*l.Noise.Clip
			variance += rate * rate * l.Noise.Std() * l.Noise.Std()
		}
		if worst := x + 15*math.Sqrt(variance); worst > l.Bound(steps) {
			t.Fatalf("a run can reach %g, the box ends at %g", worst, l.Bound(steps))
		}
	})
}

// Confining moves no two models further apart, nor anything that is inside, and
// what is not a number becomes a constant.
func TestConfineIsAProjection(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bound := rapid.Float64Range(0, 1e3).Draw(t, "bound")
		anything := rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{math.Inf(1), math.Inf(-1), 1.79e308, -1e300}))
		x, y := anything.Draw(t, "x"), anything.Draw(t, "y")
		a, b := []float64{x, math.NaN()}, []float64{y, math.NaN()}
		Confine(a, bound)
		Confine(b, bound)
		if !Within(a, bound) || a[1] != 0 || math.Abs(x) <= bound && a[0] != x {
			t.Fatalf("%g is confined to %v", x, a)
		}
		if math.Abs(a[0]-b[0]) > math.Abs(x-y) {
			t.Fatalf("%g and %g are confined to %g and %g, further apart", x, y, a[0], b[0])
		}
	})
}
