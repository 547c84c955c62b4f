package model

import (
	"math"
	"testing"

	"github.com/hearsay-dp/hearsay/sparse"
	"pgregory.net/rapid"
)

// clippedMean is the mean of clipped gradients at theta.
func clippedMean(m Model, ex Examples, theta []float64, clip float64) []float64 {
	mean := make([]float64, len(theta))
	for i := range ex.Len() {
		x, y := ex.Row(i)
		sparse.Axpy(mean, 1/float64(ex.Len()), clipped(gradient(m, theta, x, y), clip))
	}
	return mean
}

// No parameters bring the mean of clipped gradients beyond Reach, and Reach is
// never above the clipping norm.
func TestReachBoundsEveryMean(t *testing.T) {
	for _, m := range all() {
		rapid.Check(t, func(t *rapid.T) {
			features, rows := rapid.IntRange(1, 4).Draw(t, "features"), rapid.IntRange(1, 14).Draw(t, "rows")
			ex := Examples{Features: features, X: vector(t, "x", rows*features)}
			for range rows {
				ex.Y = append(ex.Y, rapid.SampledFrom(labels(m)).Draw(t, "y"))
			}
			clip := rapid.Float64Range(0.05, 3).Draw(t, "clip")
			reach := Reach(m, ex, clip)
			theta := vector(t, "theta", m.Params(features))
			sparse.Axpy(theta, rapid.SampledFrom([]float64{0, 10, 1000}).Draw(t, "far"), append([]float64{}, theta...))
			if got := norm(clippedMean(m, ex, theta, clip)); got > reach*(1+1e-12) || reach > clip {
				t.Fatalf("%T: a mean of norm %g, reach %g, clip %g", m, got, reach, clip)
			}
		})
	}
}

// For a few examples Reach is exact: it equals the largest norm over all
// choices of an end of each slope's interval, written out.
func TestReachIsExactForFewExamples(t *testing.T) {
	m := Logistic{Intercept: true}
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.IntRange(1, 6).Draw(t, "rows")
		ex := Examples{Features: 2, X: vector(t, "x", rows*2), Y: make([]float64, rows)}
		clip := rapid.Float64Range(0.05, 3).Draw(t, "clip")
		var farthest float64
		for i := range ex.Y {
			ex.Y[i] = rapid.SampledFrom(labels(m)).Draw(t, "y")
		}
		for corner := range 1 << rows {
			sum := make([]float64, 3)
			for i := range rows {
				if corner>>i&1 == 1 {
					x, y := ex.Row(i)
					g := []float64{x[0], x[1], 1}
					sparse.Axpy(sum, -y*math.Min(1, clip/norm(g))/float64(rows), g)
				}
			}
			farthest = math.Max(farthest, norm(sum))
		}
		if got := Reach(m, ex, clip); math.Abs(got-math.Min(clip, farthest)) > 1e-9 {
			t.Fatalf("reach %g, corners give %g", got, farthest)
		}
	})
}

// Opposite pulls cancel: two equal examples with opposite labels reach only
// half of the clipping norm.
func TestReachSeesCancellation(t *testing.T) {
	ex := Examples{Features: 1, X: []float64{3, 3}, Y: []float64{1, -1}}
	if got := Reach(Logistic{}, ex, 1); math.Abs(got-0.5) > 1e-9 {
		t.Errorf("reach %g, want 0.5", got)
	}
	if got := Reach(Mean{}, ex, 1); got != 1 {
		t.Errorf("the mean's gradients can all align: reach %g, want 1", got)
	}
}
