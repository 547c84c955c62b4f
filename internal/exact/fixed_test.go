package exact

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

func bigFixed(x Fixed) *big.Float {
	s := x.sign()
	y, sum := x.signed(s), new(big.Int)
	for _, limb := range []uint64{y.limb3, y.limb2, y.limb1, y.limb0} {
		sum.Add(sum.Lsh(sum, 64), new(big.Int).SetUint64(limb))
	}
	f := new(big.Float).SetPrec(600).SetInt(sum)
	if s != 0 {
		f.Neg(f)
	}
	return f.SetMantExp(f, -fixedBits)
}

// drawFixed is a number up to 100 of any number of leading zeros.
func drawFixed(t *rapid.T, name string) Fixed {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, name), 1))
	x := Fixed{rng.Uint64(), rng.Uint64(), rng.Uint64(), rng.Uint64N(100 << wholeShift)}
	x = x.shift(-rapid.IntRange(0, 250).Draw(t, name+" zeros"))
	if rapid.Bool().Draw(t, name+" negative") {
		x = x.Neg()
	}
	return x
}

func TestFixedArithmetic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y, z := drawFixed(t, "x"), drawFixed(t, "y"), drawFixed(t, "z")
		a, b, c := bigFixed(x), bigFixed(y), bigFixed(z)
		long := func() *big.Float { return new(big.Float).SetPrec(600) }
		check := func(what string, got Fixed, want *big.Float, limit float64) {
			difference := long().Sub(bigFixed(got), want)
			if difference.Abs(difference).Cmp(big.NewFloat(limit)) > 0 {
				t.Fatalf("%s of %v, %v, %v is %v, want %v", what, a, b, c, bigFixed(got), want)
			}
		}
		check("sum", x.Add(y), long().Add(a, b), 0)
		check("negative", x.Neg(), long().Neg(a), 0)
		check("product", x.Mul(y), long().Mul(a, b), 0x1p-220*bound(a, b))
		both := long().Add(long().Mul(a, b), long().Mul(c, a))
		check("inner product", DotFixed([]Fixed{x, z}, []Fixed{y, x}), both, 0x1p-220*bound(a, b, c))
		sums := []Fixed{z}
		AxpyFixed(sums, x, []Fixed{y})
		check("sum of products", sums[0], long().Add(c, long().Mul(a, b)), 0x1p-220*bound(a, b, c))
		by := rapid.IntRange(-300, 8).Draw(t, "by")
		check("shift", x.Shift(by), long().SetMantExp(a, by), 0x1p-240)
		if f, _ := a.Float64(); math.Abs(x.Float64()-f) > 0x1p-51*math.Abs(f) {
			t.Fatalf("%v is %v", a, x.Float64())
		}
		f := rapid.Float64Range(-30000, 30000).Draw(t, "float")
		check("float", FixedOf(f), long().SetFloat64(f), 0x1p-240)
		p, q := rapid.Int64Range(-1<<40, 1<<40).Draw(t, "p"), rapid.Int64Range(1<<26, 1<<40).Draw(t, "q")
		check("fraction", FixedFraction(p, q), long().Quo(long().SetInt64(p), long().SetInt64(q)), 0x1p-240)
	})
}

// bound is at least 1 and the largest of some numbers.
func bound(numbers ...*big.Float) float64 {
	most := 1.0
	for _, x := range numbers {
		f, _ := x.Float64()
		most = max(most, math.Abs(f))
	}
	return most
}

func BenchmarkDotFixed(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	x, y := make([]Fixed, 300), make([]Fixed, 300)
	for i := range x {
		x[i], y[i] = FixedOf(rng.NormFloat64()), FixedOf(rng.NormFloat64()).Mul(FixedFraction(1, 3))
	}
	b.Run("dot", func(b *testing.B) {
		for b.Loop() {
			DotFixed(x, y)
		}
	})
	b.Run("axpy", func(b *testing.B) {
		for b.Loop() {
			AxpyFixed(x, y[0], y)
		}
	})
}
