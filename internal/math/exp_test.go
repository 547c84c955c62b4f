package math

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/hearsay-dp/hearsay/internal/draws"
)

// bigExp is e^x.
func bigExp(x float64) float64 {
	out, _ := bigExpOf(x).Float64()
	return out
}

// bigExpOf is e^x by its power series at 300 bits, after halving x often enough.
func bigExpOf(x float64) *big.Float {
	const halvings = 20
	y := new(big.Float).SetPrec(300).SetFloat64(x)
	y.SetMantExp(y, -halvings)
	sum, term := big.NewFloat(1).SetPrec(300), big.NewFloat(1).SetPrec(300)
	for k := 1; k < 40; k++ {
		term.Mul(term, y)
		term.Quo(term, big.NewFloat(float64(k)))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

func TestExpIsWithinTwoUnitsInTheLastPlace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.OneOf(rapid.Float64Range(-750, 709.78), rapid.Float64Range(-3, 3)).Draw(t, "x")
		want := bigExp(x)
		if unit := math.Nextafter(want, math.Inf(1)) - want; math.Abs(Exp(x)-want) > 2*unit {
			t.Fatalf("Exp(%v) = %v, want %v: off by %.2f units", x, Exp(x), want, (Exp(x)-want)/unit)
		}
	})
}

func TestExpAtItsEnds(t *testing.T) {
	for x, want := range map[float64]float64{0: 1, -1e9: 0, 1e9: math.Inf(1), math.Inf(1): math.Inf(1), math.Inf(-1): 0} {
		if got := Exp(x); got != want {
			t.Errorf("Exp(%v) = %v, want %v", x, got, want)
		}
	}
	if !math.IsNaN(Exp(math.NaN())) {
		t.Error("Exp(NaN) is a number")
	}
}

func BenchmarkExp(b *testing.B) {
	sum := 0.0
	for i := range b.N {
		sum += Exp(float64(i&255)/64 - 2)
	}
	sink = sum
}

func BenchmarkMathExp(b *testing.B) {
	sum := 0.0
	for i := range b.N {
		sum += math.Exp(float64(i&255)/64 - 2)
	}
	sink = sum
}

var sink float64
