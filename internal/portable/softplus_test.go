package portable

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// bigSoftplus is log(1 + e^x) at 400 bits, as x+ plus twice the series of the inverse
// hyperbolic tangent of e/(2 + e), where e = e^-|x|.
func bigSoftplus(x float64) float64 {
	e := bigExpOf(-math.Abs(x))
	t := new(big.Float).Quo(e, new(big.Float).Add(e, big.NewFloat(2).SetPrec(400)))
	square, power := new(big.Float).Mul(t, t), new(big.Float).Set(t)
	sum := new(big.Float).SetPrec(400)
	for k := int64(1); k < 500; k += 2 { // e/(2 + e) is at most 1/3
		term := new(big.Float).Quo(power, new(big.Float).SetInt64(k))
		sum.Add(sum, term)
		power.Mul(power, square)
	}
	sum.Add(sum, sum)
	sum.Add(sum, big.NewFloat(max(0, x)).SetPrec(400))
	out, _ := sum.Float64()
	return out
}

func TestSoftplusIsWithinFourUnitsInTheLastPlace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.OneOf(rapid.Float64Range(-700, 700), rapid.Float64Range(-5, 5), rapid.Float64Range(-1e-6, 1e-6)).Draw(t, "x")
		want := bigSoftplus(x)
		if unit := math.Nextafter(want, math.Inf(1)) - want; math.Abs(Softplus(x)-want) > 4*unit {
			t.Fatalf("Softplus(%v) = %v, want %v: off by %.2f units", x, Softplus(x), want, (Softplus(x)-want)/unit)
		}
	})
}

func TestSoftplusAtItsEnds(t *testing.T) {
	for x, want := range map[float64]float64{0: math.Ln2, -1e9: 0, 1e9: 1e9, math.Inf(1): math.Inf(1), math.Inf(-1): 0} {
		if got := Softplus(x); got != want {
			t.Errorf("Softplus(%v) = %v, want %v", x, got, want)
		}
	}
	if !math.IsNaN(Softplus(math.NaN())) {
		t.Error("Softplus(NaN) is a number")
	}
}

func BenchmarkSoftplus(b *testing.B) {
	sum := 0.0
	for i := range b.N {
		sum += Softplus(float64(i&255)/64 - 2)
	}
	sink = sum
}

func BenchmarkMathSoftplus(b *testing.B) {
	sum := 0.0
	for i := range b.N {
		x := float64(i&255)/64 - 2
		sum += max(x, 0) + math.Log1p(math.Exp(-math.Abs(x)))
	}
	sink = sum
}
