package descent

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/hearsay-dp/hearsay/internal/draws"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// A batch that is filled is a gradient step as every other: its scaled mean has norm
// at most the clip without being clipped once more, so no step on any batch takes two
// models further apart.
func TestFilledBatchesSpreadNoModels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "n")
		all := model.Examples{Features: 2}
		for range n {
			x, y := rapid.Float64Range(-1, 1).Draw(t, "x"), rapid.Float64Range(-1, 1).Draw(t, "x")
			length := math.Max(1, math.Hypot(x, y))
			all.X, all.Y = append(all.X, x/length, y/length), append(all.Y, rapid.SampledFrom([]float64{-1, 1}).Draw(t, "y"))
		}
		batch := rapid.IntRange(1, n).Draw(t, "batch")
		l := &Local{
			Params: 2, Objective: model.Objective{Model: model.Logistic{}}, Noise: noise.Gaussian{Clip: rapid.Float64Range(0.1, 1).Draw(t, "clip")},
			StepSize: StepSize{Base: 2}, Fill: true, Batch: batch, MaxScale: 4, // 2 x 4 x 1/4 <= 2
		}
		scale := l.ScaleOf(0, all)
		ex := model.Examples{Features: 2, X: all.X[:2*batch], Y: all.Y[:batch]}
		k := NewKernel(l, noise.NewSimulated(1))
		entry := rapid.Float64Range(-20, 20)
		a, b := []float64{entry.Draw(t, "a"), entry.Draw(t, "a")}, []float64{entry.Draw(t, "b"), entry.Draw(t, "b")}
		before := math.Hypot(a[0]-b[0], a[1]-b[1])
		for _, x := range [][]float64{a, b} {
			mean := make([]float64, 2)
			for i := range batch {
				row, y := ex.Row(i)
				g := make([]float64, 2)
				l.Objective.Model.Gradient(g, x, row, y)
				sparse.Axpy(mean, scale*min(1, l.Noise.Clip/max(1e-300, sparse.Norm(g)))/float64(batch), g)
			}
			if norm := sparse.Norm(mean); norm > l.Noise.Clip*(1+1e-9) {
				t.Fatalf("a filled batch has a mean of norm %g under a clip of %g", norm, l.Noise.Clip)
			}
			k.Contribute(x, &ex, scale, 0, &step.Release{})
		}
		if after := math.Hypot(a[0]-b[0], a[1]-b[1]); after > before*(1+1e-9)+1e-12 {
			t.Fatalf("a step on a batch takes two models from %g to %g apart", before, after)
		}
	})
}
