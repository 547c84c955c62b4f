package descent

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/step"
)

// With Rows a contribution has norm at most the clipping norm, whatever the
// data and however many rows there are: what the sensitivity stands on.
func TestRowsKeepTheSensitivity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, rows := rapid.IntRange(0, 40).Draw(t, "n"), rapid.IntRange(1, 30).Draw(t, "rows")
		clip := rapid.Float64Range(0.01, 2).Draw(t, "clip")
		ex := model.Examples{Features: 2}
		for range n {
			ex.X = append(ex.X, rapid.Float64Range(-1e6, 1e6).Draw(t, "x"), rapid.Float64Range(-1e6, 1e6).Draw(t, "x"))
			ex.Y = append(ex.Y, rapid.Float64Range(-1e6, 1e6).Draw(t, "y"))
		}
		l := &Local{Params: 2, Objective: model.Objective{Model: model.Ridge{}}, Noise: noise.Gaussian{Clip: clip}, StepSize: StepSize{Base: 1}, Rows: rows}
		scale := l.ScaleOf(0, ex)
		if n > 0 && scale != min(1, float64(n)/float64(rows)) {
			t.Fatalf("%d of %d rows have scale %g", n, rows, scale)
		}
		x := []float64{0, 0}
		NewKernel(l, noise.NewSimulated(1)).Contribute(x, &ex, scale, 0, &step.Release{})
		if norm := math.Hypot(x[0], x[1]); norm > clip*(1+1e-9) {
			t.Fatalf("a step of norm %g under a clip of %g", norm, clip)
		}
	})
}
