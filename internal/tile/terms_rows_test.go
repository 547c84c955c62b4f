package tile

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Rows have the bits of Terms of each, on every kernel, and what stands between and behind them stays.
func TestTermRowsAreTermsOfEachRow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "numbers"), 0))
		rows, width := rapid.IntRange(0, 12).Draw(t, "rows"), rapid.IntRange(0, 45).Draw(t, "width")
		gap, from := rapid.IntRange(0, 3).Draw(t, "gap"), rapid.IntRange(0, 50).Draw(t, "stride of x")
		weights, offsets := make([]float64, rapid.IntRange(0, 6).Draw(t, "terms")), []int{}
		for j := range weights {
			weights[j] = rng.NormFloat64()
			offsets = append(offsets, rng.IntN(9))
		}
		x, dst := make([]float64, rows*from+width+9), make([]float64, rows*(width+gap)+1)
		for _, some := range [][]float64{x, dst} {
			for k := range some {
				some[k] = rng.NormFloat64()
			}
		}
		want := slices.Clone(dst)
		for r := range rows {
			for k := range width {
				at := &want[r*(width+gap)+k]
				for j, w := range weights {
					*at = math.FMA(w, x[r*from+offsets[j]+k], *at)
				}
			}
		}
		eachKernel(func() {
			got := slices.Clone(dst)
			TermRows(Window{got, width + gap}, Window{x, from}, rows, width, weights, offsets)
			if !slices.Equal(got, want) {
				t.Fatalf("%v, by plain loops %v", got, want)
			}
		})
	})
}

// BenchmarkTermRows adds up 49 windows of 5 by 5 numbers of 8 planes.
func BenchmarkTermRows(b *testing.B) {
	const planes, side, wide, terms = 8, 5, 18, 49
	rng := rand.New(rand.NewPCG(1, 2))
	x, dst, weights, offsets := make([]float64, planes*wide*wide), make([]float64, planes*side*side), make([]float64, terms), make([]int, terms)
	for j := range terms {
		weights[j], offsets[j] = rng.NormFloat64(), planes*(rng.IntN(14)*wide+rng.IntN(14))
	}
	b.Run("together", func(b *testing.B) {
		for b.Loop() {
			TermRows(Window{dst, planes * side}, Window{x, planes * wide}, side, planes*side, weights, offsets)
		}
	})
	b.Run("each", func(b *testing.B) {
		for b.Loop() {
			for r := range side {
				Terms(dst[r*planes*side:][:planes*side], x[r*planes*wide:], weights, offsets)
			}
		}
	})
}
