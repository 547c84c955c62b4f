package model

import (
	"math"
	"math/rand/v2"
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
		got := gauge.At(theta)
		near := func(what string, got, want float64) {
			if same := got == want || math.IsNaN(got) && math.IsNaN(want); !same && !(math.Abs(got-want) <= 1e-13*(1+math.Abs(want))) {
				t.Errorf("%T: %s is %v, want %v", o.Model, what, got, want)
			}
		}
		near("the loss", got.Loss, loss)
		near("the accuracy", got.Accuracy, accuracy)
		near("what is minimised", got.Minimised, minimised)
		if gauge.Len() != n {
			t.Errorf("a gauge of %d rows says %d", n, gauge.Len())
		}
	})
}

// Models that are scored together are scored as each alone is, bit for bit, however many they are and whatever the
// numbers of one of them are.
func TestGaugeOfManyIsEachAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := Objective{Model: rapid.SampledFrom([]Model{Logistic{}, Logistic{Intercept: true, Negative: 0.3, Positive: 2}, Logistic{Intercept: true}, Ridge{}}).Draw(t, "model"), L2: 0.5}
		n, features := rapid.SampledFrom([]int{1, 3, 64, 65, 140}).Draw(t, "rows"), rapid.IntRange(1, 11).Draw(t, "features")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		drawn := func(n int, size float64) []float64 {
			x := make([]float64, n)
			for i := range x {
				x[i] = size * rng.NormFloat64()
			}
			return x
		}
		ex := Examples{Features: features, X: drawn(n*features, 1), Y: make([]float64, n)}
		for i := range ex.Y {
			ex.Y[i] = float64(2*rng.IntN(2) - 1)
		}
		var weights []float64
		if rapid.Bool().Draw(t, "weighed") {
			weights = drawn(n, 1)
		}
		gauge := NewGauge(o, ex, weights, rapid.SampledFrom([]float64{0.1, 1, math.Inf(1)}).Draw(t, "clip"))
		thetas := make([][]float64, rapid.IntRange(0, 19).Draw(t, "models"))
		for k := range thetas {
			thetas[k] = drawn(o.Params(features), rapid.SampledFrom([]float64{0, 1, 30, 1e4}).Draw(t, "size"))
			if rapid.IntRange(0, 9).Draw(t, "spoilt") == 0 {
				thetas[k][0] = rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1)}).Draw(t, "by")
			}
		}
		all := make([]Gauged, len(thetas))
		gauge.AtAll(all, thetas)
		same := func(a, b float64) bool {
			return math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)
		}
		for k, got := range all {
			if want := gauge.At(thetas[k]); !same(got.Loss, want.Loss) || !same(got.Accuracy, want.Accuracy) || !same(got.Minimised, want.Minimised) {
				t.Fatalf("model %d of %d, %v, is scored as %+v among others, as %+v alone", k, len(all), thetas[k], got, want)
			}
		}
	})
}

// BenchmarkGauge scores models of the shape of the Houses run on as many rows as a point of its curve, one at a time and together.
func BenchmarkGauge(b *testing.B) {
	const n, features = 864, 8
	rng := rand.New(rand.NewPCG(1, 2))
	ex := Examples{Features: features, X: make([]float64, n*features), Y: make([]float64, n)}
	weights := make([]float64, n)
	for i := range ex.X {
		ex.X[i] = rng.NormFloat64() / 3
	}
	for i := range ex.Y {
		ex.Y[i], weights[i] = math.Copysign(1, ex.X[i*features]), 1
	}
	gauge := NewGauge(Objective{Model: Logistic{Intercept: true}}, ex, weights, 0.3)
	thetas, out := make([][]float64, Together), make([]Gauged, Together)
	for k := range thetas {
		thetas[k] = make([]float64, features+1)
		for j := range thetas[k] {
			thetas[k][j] = rng.NormFloat64()
		}
	}
	b.Run("alone", func(b *testing.B) {
		for i := range b.N {
			out[i%Together] = gauge.At(thetas[i%Together])
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
	})
	b.Run("together", func(b *testing.B) {
		for range b.N {
			gauge.AtAll(out, thetas)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n/Together, "ns/row")
	})
}
