package model

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// A gauge says what the plain loops say, of every model, with and without weights,
// clipped and not, also where a number is none.
func TestGaugeSaysWhatTheLoopsSay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := Objective{Model: rapid.SampledFrom(all()).Draw(t, "model"), L2: rapid.SampledFrom([]float64{0, 0.5}).Draw(t, "l2")}
		n, features := rapid.IntRange(0, 12).Draw(t, "rows"), rapid.IntRange(1, 6).Draw(t, "features")
		ex := Examples{Features: features, X: vector(t, "x", n*features), Y: rapid.SliceOfN(rapid.SampledFrom(labels(o.Model)), n, n).Draw(t, "y")}
		var weights []float64
		if rapid.Bool().Draw(t, "weighed") {
			weights = rapid.SliceOfN(rapid.Float64Range(0, 2), n, n).Draw(t, "weights")
		}
		clip := rapid.OneOf(rapid.Float64Range(0.01, 3), rapid.Just(math.Inf(1))).Draw(t, "clip")
		theta := vector(t, "theta", o.Params(features))
		for i := range theta {
			theta[i] *= rapid.SampledFrom([]float64{1, 1, 1, 1e3}).Draw(t, "size")
		}
		if rapid.IntRange(0, 9).Draw(t, "spoilt") == 0 {
			theta[0] = rapid.SampledFrom([]float64{math.NaN(), math.Inf(1)}).Draw(t, "by")
		}
		loss, accuracy := o.Score(theta, ex)
		minimised := math.NaN()
		if weights != nil {
			minimised = o.Minimised(theta, ex, weights, clip)
		}
		gauge := NewGauge(o, ex, weights, clip)
		gotLoss, gotAccuracy, gotMinimised := gauge.At(theta)
		near := func(what string, got, want float64) {
			if same := got == want || math.IsNaN(got) && math.IsNaN(want); !same && !(math.Abs(got-want) <= 1e-13*(1+math.Abs(want))) {
				t.Errorf("%T: %s is %v, want %v", o.Model, what, got, want)
			}
		}
		near("the loss", gotLoss, loss)
		near("the accuracy", gotAccuracy, accuracy)
		near("what is minimised", gotMinimised, minimised)
		if gauge.Len() != n {
			t.Errorf("a gauge of %d rows says %d", n, gauge.Len())
		}
	})
}
