package descent

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// dense are the models whose gradients come a block at a time.
func dense() []model.Model {
	return []model.Model{
		model.NewMultinomial(3, true, nil), model.NewMultinomial(3, false, []float64{1, 5, 0.1}),
		model.NewNetwork(3, []int{4}, true, nil), model.NewNetwork(3, []int{3, 2}, false, nil),
		model.NewConvNet(model.Convolution{Picture: model.Picture{Planes: 1, Rows: 4, Columns: 5}, Kernel: 3, Maps: [2]int{2, 2}, Hidden: 2}, 3, nil),
	}
}

// features is how many numbers an example of m has here.
func features(m model.Model) int {
	if net, ok := m.(model.ConvNet); ok {
		return net.Picture().Pixels()
	}
	return 2
}

// contribution is a step of size 1 from theta without noise: minus the mean of the
// clipped gradients.
func contribution(m model.Model, theta []float64, ex model.Examples, clip float64) []float64 {
	l := &Local{Params: len(theta), Objective: model.Objective{Model: m}, Noise: noise.Gaussian{Clip: clip}, StepSize: StepSize{Base: 1}}
	x := append([]float64{}, theta...)
	NewKernel(l, noise.NewSimulated(1)).Contribute(x, &ex, 1, 0, &step.Release{})
	sparse.Axpy(x, -1, theta)
	return x
}

// The contribution of a block is that of its gradients one by one, each clipped,
// also over several blocks.
func TestBlocksAreClippedOneByOne(t *testing.T) {
	for _, m := range dense() {
		rapid.Check(t, func(t *rapid.T) {
			ex := model.Examples{Features: features(m)}
			for range rapid.SampledFrom([]int{1, 5, model.BlockRows + 3}).Draw(t, "rows") {
				for range ex.Features / 2 {
					ex.X = append(ex.X, math.Sin(float64(len(ex.X))), 2*math.Cos(float64(3*len(ex.X))))
				}
				ex.Y = append(ex.Y, float64(len(ex.Y)%3))
			}
			theta := rapid.SliceOfN(rapid.Float64Range(-2, 2), m.Params(ex.Features), m.Params(ex.Features)).Draw(t, "theta")
			clip := rapid.Float64Range(0.05, 3).Draw(t, "clip")
			want, g := make([]float64, len(theta)), make([]float64, len(theta))
			for i := range ex.Len() {
				x, y := ex.Row(i)
				m.Gradient(g, theta, x, y)
				sparse.Axpy(want, -min(1, clip/sparse.Norm(g))/float64(ex.Len()), g)
			}
			for i, got := range contribution(m, theta, ex, clip) {
				if math.Abs(got-want[i]) > 1e-11 {
					t.Fatalf("%s: entry %d is %g, want %g", m.Name(), i, got, want[i])
				}
			}
		})
	}
}

// One row moves a contribution by at most 2 clip over the number of rows, whatever
// it holds and whatever the model has become: what a record's sensitivity is.
func TestOneRowOfABlockMovesItByNoMore(t *testing.T) {
	anything := rapid.OneOf(rapid.Float64Range(-3, 3), rapid.Float64(), rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), 1e308, -1e200, 1e-200}))
	for _, m := range dense() {
		rapid.Check(t, func(t *rapid.T) {
			const rows = 4
			wide := features(m)
			ex := model.Examples{Features: wide, X: rapid.SliceOfN(rapid.Float64Range(-3, 3), wide*rows, wide*rows).Draw(t, "x"), Y: []float64{0, 1, 2, 1}}
			theta := rapid.SliceOfN(rapid.Float64Range(-10, 10), m.Params(wide), m.Params(wide)).Draw(t, "theta")
			clip := rapid.Float64Range(0.05, 3).Draw(t, "clip")
			before := contribution(m, theta, ex, clip)
			other := model.Examples{Features: wide, X: append([]float64{anything.Draw(t, "a"), anything.Draw(t, "b")}, ex.X[2:]...),
				Y: append([]float64{float64(rapid.IntRange(0, 2).Draw(t, "label"))}, ex.Y[1:]...)}
			after := contribution(m, theta, other, clip)
			sparse.Axpy(after, -1, before)
			if moved := sparse.Norm(after); !(moved <= 2*clip/rows*(1+1e-9)+1e-13) {
				t.Fatalf("%s: a row moved the contribution by %g of at most %g", m.Name(), moved, 2*clip/rows)
			}
		})
	}
}
