package model

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// Losses of many rows have the bits of row by row, which is what a model that nobody knows is scored by.
func TestLossesOfRowsAreThoseOfEach(t *testing.T) {
	type unknown struct{ Logistic }
	rapid.Check(t, func(t *rapid.T) {
		l := Logistic{Intercept: rapid.Bool().Draw(t, "intercept"), Positive: rapid.SampledFrom([]float64{0, 3, 0.2}).Draw(t, "positive")}
		n, features := rapid.SampledFrom([]int{1, 2, 5, 64, 67}).Draw(t, "rows"), rapid.IntRange(1, 5).Draw(t, "features")
		ex := Examples{Features: features, X: vector(t, "x", n*features), Y: rapid.SliceOfN(rapid.SampledFrom([]float64{-1, 1}), n, n).Draw(t, "y")}
		weights := rapid.SliceOfN(rapid.Float64Range(0, 2), n, n).Draw(t, "weights")
		clip := rapid.SampledFrom([]float64{0.05, 0.3, 1, math.Inf(1)}).Draw(t, "clip")
		theta := vector(t, "theta", l.Params(features))
		known, each := Objective{Model: l, L2: 0.1}, Objective{Model: unknown{l}, L2: 0.1}
		gotLoss, gotAccuracy := known.Score(theta, ex)
		wantLoss, wantAccuracy := each.Score(theta, ex)
		got, want := known.Minimised(theta, ex, weights, clip), each.Minimised(theta, ex, weights, clip)
		for i, pair := range [][2]float64{{gotLoss, wantLoss}, {gotAccuracy, wantAccuracy}, {got, want}} {
			if math.Float64bits(pair[0]) != math.Float64bits(pair[1]) {
				t.Fatalf("number %d of %d rows is %v, row by row %v", i, n, pair[0], pair[1])
			}
		}
	})
}
