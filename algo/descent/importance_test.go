package descent

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/step"
)

// With factors of their own, however large, and rows that nothing bounds, nodes' steps move no
// two models further apart, by what each knows of its own rows, and no model by more than
// the clip: what accountants take them for.
func TestStepsOfWeightedNodesStayNonExpansive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.SampledFrom([]model.Model{model.Logistic{Intercept: true}, model.Ridge{}, model.Mean{}}).Draw(t, "model")
		n, size := rapid.IntRange(1, 4).Draw(t, "rows"), rapid.SampledFrom([]float64{0.1, 3, 100}).Draw(t, "size")
		ex := model.Examples{Features: 2, X: rapid.SliceOfN(rapid.Float64Range(-size, size), 2*n, 2*n).Draw(t, "x"), Y: make([]float64, n)}
		for i := range ex.Y {
			ex.Y[i] = rapid.SampledFrom([]float64{-1, 1}).Draw(t, "y")
		}
		l := &Local{
			Params: m.Params(2), Objective: model.Objective{Model: m, L2: rapid.SampledFrom([]float64{0, 0.3}).Draw(t, "l2")},
			Noise:    noise.Gaussian{Clip: rapid.SampledFrom([]float64{0.1, 1, 50}).Draw(t, "clip")},
			StepSize: StepSize{Base: rapid.SampledFrom([]float64{0.01, 0.5, 2}).Draw(t, "step")}, Importance: []float64{rapid.Float64Range(0.01, 100).Draw(t, "factor")},
		}
		if why := l.Update(l.Objective.Guarantees(math.Inf(1))).Expansive(); why != "" {
			t.Fatalf("not proved: %s", why)
		}
		scale := l.ScaleOf(0, ex)
		if scale > l.Importance[0] {
			t.Fatalf("scale %g of %g", scale, l.Importance[0])
		}
		stepped := func(x []float64, data bool) []float64 {
			y := append([]float64{}, x...)
			k := NewKernel(l, noise.NewSimulated(1))
			if data {
				k.Contribute(y, &ex, scale, 0, &step.Release{})
			} else {
				k.NoiseOnly(y, 0, &step.Release{})
			}
			return y
		}
		x := rapid.SliceOfN(rapid.Float64Range(-2, 2), l.Params, l.Params).Draw(t, "x0")
		y := rapid.SliceOfN(rapid.Float64Range(-2, 2), l.Params, l.Params).Draw(t, "y0")
		if now := apart(stepped(x, true), stepped(y, true)); now > apart(x, y)*(1+1e-9)+1e-12 {
			t.Fatalf("%g apart became %g", apart(x, y), now)
		}
		if moved := apart(stepped(x, true), stepped(x, false)); moved > l.StepSize.Base*l.Noise.Clip*(1+1e-9) {
			t.Fatalf("data move a model by %g", moved)
		}
	})
}
