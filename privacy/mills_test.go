package privacy

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The fraction has the bits of all its terms, wherever it begins.
func TestMillsFractionIsThatOfAllTerms(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		x := millsSplit + math.Expm1(rng.Float64()*12) // to 160,000, most of it near the beginning
		want := 0.0
		for j := millsTerms; j > 0; j-- {
			want = float64(j) / (x + want)
		}
		if got := millsFraction(x); got != want {
			t.Fatalf("K(%v) = %v, want %v", x, got, want)
		}
	}
	if math.Abs(millsFraction(1e200)*1e200-1) > 1e-15 || !math.IsNaN(mills(math.NaN())) || !math.IsNaN(millsFall(math.NaN())) || millsFraction(math.Inf(1)) != 0 {
		t.Error("beyond all numbers")
	}
}
