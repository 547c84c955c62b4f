package math

import (
	"math"
	"math/big"
	"math/rand/v2"
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

// All at once they have the bits of one by one, whatever stands among them.
func TestSoftplusAllIsEach(t *testing.T) {
	number := rapid.OneOf(rapid.Float64Range(-50, 50), rapid.Float64Range(-720, 720), rapid.Float64(),
		rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 708, -708, math.Nextafter(708, 709), 1000, -1000, math.Inf(1), math.Inf(-1), math.NaN()}))
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(number, 0, 40).Draw(t, "x")
		got := make([]float64, len(x))
		SoftplusAll(got, x)
		for i, v := range x {
			if want := Softplus(v); math.Float64bits(got[i]) != math.Float64bits(want) && !(math.IsNaN(got[i]) && math.IsNaN(want)) {
				t.Fatalf("Softplus(%v) is %v among others, %v alone", v, got[i], want)
			}
		}
	})
	rng := rand.New(rand.NewPCG(1, 2))
	x, got := make([]float64, 1<<16), make([]float64, 1<<16)
	for i := range x {
		x[i] = rng.NormFloat64() * math.Exp(6*rng.Float64()-3)
	}
	SoftplusAll(got, x)
	for i, v := range x {
		if want := Softplus(v); got[i] != want {
			t.Fatalf("Softplus(%v) is %v among others, %v alone", v, got[i], want)
		}
	}
}

func BenchmarkSoftplusAll(b *testing.B) {
	x, dst := make([]float64, 256), make([]float64, 256)
	for i := range x {
		x[i] = float64(i)/64 - 2
	}
	for b.Loop() {
		SoftplusAll(dst, x)
	}
}
