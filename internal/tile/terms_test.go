package tile

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/hearsay-dp/hearsay/internal/draws"
)

// Weighted shifted copies are added one after the other, bit for bit, whatever the processor offers.
func TestTermsAreAddedInOrder(t *testing.T) {
	number := rapid.Float64Range(-1e3, 1e3)
	rapid.Check(t, func(t *rapid.T) {
		dst := make([]float64, rapid.IntRange(0, 150).Draw(t, "length"))
		weights := rapid.SliceOfN(number, 0, 6).Draw(t, "weights")
		x := make([]float64, len(dst)+9)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "numbers"), 0))
		for _, some := range [][]float64{dst, x} {
			for k := range some {
				some[k] = rng.NormFloat64()
			}
		}
		offsets := rapid.SliceOfN(rapid.IntRange(0, 9), len(weights), len(weights)).Draw(t, "offsets")
		want := append([]float64(nil), dst...)
		for k := range want {
			for j, w := range weights {
				want[k] = math.FMA(w, x[offsets[j]+k], want[k])
			}
		}
		Terms(dst, x, weights, offsets)
		for k := range want {
			if dst[k] != want[k] {
				t.Fatalf("entry %d of %d is %g, not %g", k, len(dst), dst[k], want[k])
			}
		}
	})
}
