package attack

import (
	"math"
	"testing"
)

// Values worked out by hand, and those of no correlation.
func TestRankCorrelations(t *testing.T) {
	for _, c := range []struct {
		x, y              []float64
		spearman, kendall float64
	}{
		{[]float64{1, 2, 3, 4}, []float64{10, 20, 30, 400}, 1, 1},
		{[]float64{1, 2, 3, 4}, []float64{4, 3, 2, 1}, -1, -1},
		{[]float64{1, 2, 3}, []float64{1, 3, 2}, 0.5, 1. / 3},
		{[]float64{1, 1, 2, 3}, []float64{1, 2, 2, 3}, 3.75 / 4.5, 4. / 5}, // ranks 1.5 1.5 3 4 and 1 2.5 2.5 4
		{[]float64{0, 0, 1, 1}, []float64{1, 2, 3, 4}, 2 / math.Sqrt(5), 4 / math.Sqrt(24)},
	} {
		if got := Spearman(c.x, c.y); math.Abs(got-c.spearman) > 1e-12 {
			t.Errorf("Spearman of %v and %v is %g, not %g", c.x, c.y, got, c.spearman)
		}
		if got := Kendall(c.x, c.y); math.Abs(got-c.kendall) > 1e-12 {
			t.Errorf("Kendall of %v and %v is %g, not %g", c.x, c.y, got, c.kendall)
		}
	}
	if one := []float64{1, 1}; !math.IsNaN(Spearman(one, []float64{1, 2})) || !math.IsNaN(Kendall(one, []float64{1, 2})) {
		t.Error("a constant correlates with something")
	}
}

// However many equal numbers there are, they correlate with nothing.
func TestConstantsHaveNoRankCorrelation(t *testing.T) {
	for n := range 60 { // a mean of ranks that is rounded leaves something over for some
		one, up := make([]float64, n), make([]float64, n)
		for i := range up {
			one[i], up[i] = 0.3, float64(i*i%7)
		}
		for _, y := range [][]float64{one, up} {
			if s, k := Spearman(one, y), Kendall(one, y); !math.IsNaN(s) || !math.IsNaN(k) {
				t.Errorf("%d equal numbers correlate by %g and %g", n, s, k)
			}
		}
	}
}

// NaN has no rank, so the correlation of a list with NaN is NaN.
func TestRankCorrelationsOfNoNumbers(t *testing.T) {
	for _, x := range [][]float64{{1, math.NaN(), 3}, {math.NaN(), math.NaN(), math.NaN()}} {
		for _, of := range []func(x, y []float64) float64{Spearman, Kendall} {
			if a, b := of(x, []float64{1, 2, 3}), of([]float64{1, 2, 3}, x); !math.IsNaN(a) || !math.IsNaN(b) {
				t.Errorf("of %v: %g, %g", x, a, b)
			}
		}
	}
}
