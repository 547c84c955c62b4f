package descent

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/step"
)

// A step on the rows of a linear model together is one on its gradients one by one, bit for bit: of any number of
// rows, clipped or not, with norms or without, also where numbers are none.
func TestRowsTogetherStepAsOneByOne(t *testing.T) {
	models := []model.Model{
		model.Logistic{Intercept: true}, model.Logistic{Negative: 2}, model.Hinge{Intercept: true}, model.Ridge{}, model.Absolute{Intercept: true},
	}
	number := rapid.OneOf(rapid.Float64Range(-2, 2), rapid.Float64Range(-2, 2), rapid.Float64Range(-2, 2), rapid.Float64Range(-2, 2),
		rapid.Float64(), rapid.SampledFrom([]float64{0, 1e200, math.Inf(1), math.NaN()}))
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.SampledFrom(models).Draw(t, "model")
		n, features := rapid.SampledFrom([]int{0, 1, 3, 8, 9, rowsAtOnce, 2*rowsAtOnce + 1}).Draw(t, "rows"), rapid.IntRange(1, 9).Draw(t, "features")
		ex := model.Examples{Features: features, X: make([]float64, n*features), Y: make([]float64, n)}
		for i := range ex.X {
			ex.X[i] = math.Sin(float64(i + 1))
		}
		for i := range ex.Y {
			ex.Y[i] = math.Copysign(1, math.Sin(float64(7*i+1)))
		}
		for k := 0; n > 0 && k < 3; k++ {
			ex.X[rapid.IntRange(0, len(ex.X)-1).Draw(t, "where")] = number.Draw(t, "number")
		}
		if rapid.Bool().Draw(t, "norms") {
			ex.Norms = model.Norms(m, ex)
		}
		l := &Local{Params: m.Params(features), Objective: model.Objective{Model: m, L2: 0.1}, StepSize: StepSize{Base: 0.1},
			Noise: noise.Gaussian{Clip: rapid.SampledFrom([]float64{0.05, 1, math.Inf(1)}).Draw(t, "clip")}}
		together := NewKernel(l, noise.NewSimulated(1))
		single := NewKernel(l, noise.NewSimulated(1))
		single.of = &single.local.localGradients
		a := rapid.SliceOfN(rapid.Float64Range(-2, 2), l.Params, l.Params).Draw(t, "x")
		b := append([]float64(nil), a...)
		for at := range 3 {
			together.Contribute(a, &ex, 1.5, at, &step.Release{})
			single.Contribute(b, &ex, 1.5, at, &step.Release{})
		}
		for i := range b {
			if math.Float64bits(a[i]) != math.Float64bits(b[i]) && !(math.IsNaN(a[i]) && math.IsNaN(b[i])) {
				t.Fatalf("%s of %d rows: entry %d is %v, one by one %v", m.Name(), n, i, a[i], b[i])
			}
		}
	})
}
