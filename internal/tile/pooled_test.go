package tile

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// Pooled sums are those of Terms, the first of the largest, if it is above 0, bit for bit on every kernel, also where some are not finite.
func TestPoolIsTheLargestOfTerms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "numbers"), 0))
		terms, step, lower := rapid.IntRange(1, 30).Draw(t, "terms"), rapid.IntRange(0, 5).Draw(t, "step"), rapid.IntRange(0, 50).Draw(t, "lower")
		whole := rapid.Bool().Draw(t, "whole") // numbers make sums that are alike
		draw := func(n int) []float64 {
			x := make([]float64, n)
			for i := range x {
				if x[i] = rng.NormFloat64(); whole {
					x[i] = math.Round(x[i])
				}
			}
			return x
		}
		begin, weights, offsets := [8]float64(draw(8)), draw(8*terms), make([]int, terms)
		groups := rapid.IntRange(1, 3).Draw(t, "groups")
		x := draw(lower + (8*groups-1)*step + 10)
		if rapid.IntRange(0, 3).Draw(t, "spoilt") == 0 {
			x[rng.IntN(len(x))] = rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1)}).Draw(t, "by")
		}
		for j := range offsets {
			offsets[j] = rng.IntN(10)
		}
		want := make([]Pooling, groups)
		for entry := range 32 * groups {
			of, which, k := &want[entry/32].Largest[entry%32], &want[entry/32].Corner[entry%32], entry
			weight, column := make([]float64, terms), make([]int, terms)
			var sums [4]float64
			for q, corner := range [...]int{0, step, lower, lower + step} {
				for j := range column {
					weight[j], column[j] = weights[8*j+k%8], offsets[j]+corner+k/8*2*step
				}
				sums[q] = begin[k%8]
				Terms(sums[q:q+1], x, weight, column)
			}
			best := 0
			for q, sum := range sums {
				if sum > sums[best] {
					best = q
				}
			}
			if *of, *which = sums[best], uint8(best); !(sums[best] > 0) {
				*of, *which = 0*sums[best], 4
			}
		}
		eachKernel(func() {
			got := make([]Pooling, groups)
			Pool(got, Windows{x, step, lower}, &begin, weights, offsets)
			for i, g := range got {
				for k, v := range g.Largest {
					w := want[i].Largest[k]
					if math.Float64bits(v) != math.Float64bits(w) && !(math.IsNaN(v) && math.IsNaN(w)) || g.Corner[k] != want[i].Corner[k] {
						t.Fatalf("entry %d of %d is %g, %d, want %g, %d", k, i, v, g.Corner[k], w, want[i].Corner[k])
					}
				}
			}
		})
	})
}

// BenchmarkPool convolves eight maps with windows of 5 by 5 numbers of 8 planes, and reports Gflop/s.
func BenchmarkPool(b *testing.B) {
	const planes, side, wide = 8, 5, 18
	rng := rand.New(rand.NewPCG(1, 2))
	x, weights, offsets := make([]float64, planes*wide*wide), make([]float64, 8*planes*side*side), make([]int, planes*side*side)
	for j := range offsets {
		offsets[j] = (j/side%side*wide+j%side)*planes + j/side/side
	}
	for i := range weights {
		weights[i] = rng.NormFloat64()
	}
	p := make([]Pooling, 2)
	var begin [8]float64
	for b.Loop() {
		Pool(p, Windows{x, planes, planes * wide}, &begin, weights, offsets)
	}
	b.ReportMetric(float64(2*2*4*4*len(weights)*b.N)/b.Elapsed().Seconds()/1e9, "Gflop/s")
}
