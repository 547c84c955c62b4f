package tile

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/hearsay-dp/hearsay/internal/draws"
	own "github.com/hearsay-dp/hearsay/internal/math"
)

// Roots are never below, and close, from the smallest number on.
func TestRoots(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var x, got Lanes
		for i := range x {
			x[i] = math.Exp(rapid.Float64Range(-744, 100).Draw(t, "ln x"))
		}
		x[3] = 0
		k := rapid.IntRange(1, Width-1).Draw(t, "k")
		Roots(&got, &x, k)
		for i, y := range got {
			want, exact := new(big.Float).SetPrec(200).SetFloat64(x[i]), new(big.Float).SetPrec(200).SetInt64(1)
			for range k {
				exact.Mul(exact, new(big.Float).SetPrec(200).SetFloat64(y))
			}
			if exact.Cmp(want) < 0 || math.Abs(y-own.Pow(x[i], 1/float64(k))) > 1e-8*y {
				t.Fatalf("root %d of %v is %v", k, x[i], y)
			}
		}
	})
}

// Sums of roots are the plain loops', bit for bit, whatever the processor offers: of numbers of all sizes, of what is no number
// and of what is without end.
func TestNormsEqualThePlainLoops(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var cost, sum, chance Lanes
		least := rapid.SampledFrom([]float64{-3, -300, -744}).Draw(t, "least")
		for i := range cost {
			cost[i] = math.Exp(rapid.Float64Range(least, 300).Draw(t, "ln cost"))
			sum[i] = rapid.Float64Range(0, 50).Draw(t, "sum")
			chance[i] = rapid.Float64Range(0, 1).Draw(t, "chance")
		}
		if rapid.IntRange(0, 3).Draw(t, "odd") == 0 {
			cost[rapid.IntRange(0, Width-1).Draw(t, "lane")] = rapid.SampledFrom([]float64{0, -1, math.Inf(1), math.NaN(), 1e-290, 4e-324}).Draw(t, "cost")
		}
		k, place := rapid.IntRange(1, Width-1).Draw(t, "k"), float64(2*rapid.IntRange(0, 30).Draw(t, "m")+1)
		gotCost, gotSum := cost, sum
		Norm(&gotCost, &gotSum, &chance, k, place, 1/math.Gamma(float64(k)+1))
		normPlain(&cost, &sum, &chance, k, place, 1/math.Gamma(float64(k)+1))
		for i := range cost {
			if !sameBits(gotCost[i], cost[i]) || !sameBits(gotSum[i], sum[i]) {
				t.Fatalf("lane %d of order %d: %v and %v, not %v and %v", i, k, gotCost[i], gotSum[i], cost[i], sum[i])
			}
		}
	})
}

// sameBits reports whether two numbers are the same, or both are none.
func sameBits(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)
}

func BenchmarkNorm(b *testing.B) {
	var cost, sum, chance Lanes
	for range b.N {
		for i := range cost {
			cost[i], sum[i], chance[i] = 0.3, 0.2, 0.1
		}
		Norm(&cost, &sum, &chance, 11, 3, 0.5)
	}
}
