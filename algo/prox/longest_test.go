package prox

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/model"
)

// Rows of sizes that differ by as much as is allowed have proximal points to within the tolerance, or to
// what rounding allows.
func TestRowsUpToTheLongestAreCertified(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.SampledFrom([]model.Margined{model.Logistic{}, model.Hinge{}, model.Ridge{}}).Draw(t, "model")
		d, n := rapid.IntRange(1, 5).Draw(t, "features"), rapid.IntRange(1, 20).Draw(t, "rows")
		ex := model.Examples{Features: d}
		for range n {
			size := math.Pow(LongestCertified, rapid.Float64Range(0, 1).Draw(t, "size")) / math.Sqrt(float64(d))
			for range d {
				ex.X = append(ex.X, size*rapid.Float64Range(-1, 1).Draw(t, "x"))
			}
			ex.Y = append(ex.Y, rapid.SampledFrom([]float64{-1, 1}).Draw(t, "y"))
		}
		w := make([]float64, d)
		for j := range w {
			w[j] = rapid.Float64Range(-2, 2).Draw(t, "w")
		}
		clip := rapid.SampledFrom([]float64{0.3, 1, math.Inf(1)}).Draw(t, "clip")
		weight := math.Exp(rapid.Float64Range(-6, 1).Draw(t, "weight"))
		s := New(m, d, clip)
		a := s.Solve(w, ex, weight, 1e-9)
		if slack := s.rows.rounding(w, s.p); !(a.Off <= max(1e-9, slack)) {
			t.Fatalf("off by %g after %d steps, and rounding is %g", a.Off, a.Steps, slack)
		}
	})
}
