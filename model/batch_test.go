package model

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/hearsay-dp/hearsay/internal/draws"
	"github.com/hearsay-dp/hearsay/sparse"
)

// No batch of any examples has, anywhere, a mean of clipped gradients longer than
// BatchReach, which is at most the clip and for a batch of all is Reach.
func TestBatchReachBoundsEveryBatch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.SampledFrom([]Linear{Logistic{}, Logistic{Intercept: true}, Ridge{}}).Draw(t, "model")
		n, clip := rapid.IntRange(1, 7).Draw(t, "n"), rapid.Float64Range(0.1, 2).Draw(t, "clip")
		batch := rapid.IntRange(1, n).Draw(t, "batch")
		ex := Examples{Features: 2}
		for range n {
			ex.X = append(ex.X, rapid.Float64Range(-1, 1).Draw(t, "x"), rapid.Float64Range(-1, 1).Draw(t, "x"))
			ex.Y = append(ex.Y, rapid.SampledFrom([]float64{-1, 1}).Draw(t, "y"))
		}
		reach := BatchReach(m, ex, batch, clip)
		if reach > clip || batch == n && reach != Reach(m, ex, clip) {
			t.Fatalf("a batch of %d of %d reaches %g under a clip of %g", batch, n, reach, clip)
		}
		theta := rapid.SliceOfN(rapid.Float64Range(-20, 20), m.Params(2), m.Params(2)).Draw(t, "theta")
		order := rapid.Permutation(indices(n)).Draw(t, "order")
		mean := make([]float64, len(theta))
		for _, i := range order[:batch] {
			x, y := ex.Row(i)
			g := make([]float64, len(theta))
			m.Gradient(g, theta, x, y)
			sparse.Axpy(mean, min(1, clip/math.Max(1e-300, sparse.Norm(g)))/float64(batch), g)
		}
		if norm := sparse.Norm(mean); norm > reach*(1+1e-9)+1e-150 {
			t.Fatalf("a batch has a mean of %g, the bound is %g", norm, reach)
		}
	})
}

func indices(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// Two rows that pull against each other fill the clip further together than one by
// one: the bound of a batch of two of four such knows.
func TestBatchReachSeesCancellation(t *testing.T) {
	ex := Examples{Features: 2, X: []float64{1, 0, 0, 1, 1, 0, 0, 1}, Y: []float64{1, 1, -1, -1}}
	one, two := BatchReach(Logistic{}, ex, 1, 10), BatchReach(Logistic{}, ex, 2, 10)
	if math.Abs(one-1) > 1e-9 || two > one/math.Sqrt2*1.001 {
		t.Errorf("one of four reaches %g, two %g", one, two)
	}
}
