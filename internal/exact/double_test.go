package exact

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

func bigOf(x Double) *big.Float {
	f := new(big.Float).SetPrec(400).SetFloat64(x.Hi)
	return f.Add(f, new(big.Float).SetFloat64(x.Lo))
}

func drawDouble(t *rapid.T, name string) Double {
	hi := rapid.Float64Range(-1e6, 1e6).Draw(t, name)
	return twoSum(hi, hi*0x1p-54*rapid.Float64Range(-1, 1).Draw(t, name+" low"))
}

func TestDoubleArithmeticHas31Digits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y, z := drawDouble(t, "x"), drawDouble(t, "y"), drawDouble(t, "z")
		a, b, c := bigOf(x), bigOf(y), bigOf(z)
		long := func() *big.Float { return new(big.Float).SetPrec(400) }
		check := func(what string, got Double, want, size *big.Float) {
			difference := long().Sub(bigOf(got), want)
			limit := long().Mul(size.Abs(size), big.NewFloat(0x1p-100))
			if difference.Abs(difference).Cmp(limit.Add(limit, big.NewFloat(1e-290))) > 0 {
				t.Fatalf("%s of %v, %v, %v is %v, want %v", what, x, y, z, got, want)
			}
		}
		sum := long().Add(a, b)
		check("sum", x.Add(y), sum, long().Set(sum))
		product := long().Mul(a, b)
		if p, _ := product.Float64(); math.Abs(p) > 1e-200 {
			check("product", x.Mul(y), product, long().Set(product))
		}
		larger := long().Add(long().Abs(c), long().Abs(product))
		check("sum of products", z.AddMul(x, y), long().Add(c, product), larger)
		if math.Abs(y.Hi) > 1e-100 && math.Abs(x.Hi) > 1e-100 {
			quotient := long().Quo(a, b)
			check("quotient", x.Div(y), quotient, long().Set(quotient))
			root := long().Sqrt(long().Abs(a))
			if x.Hi < 0 {
				x = x.Neg()
			}
			check("root", x.Sqrt(), root, long().Set(root))
		}
	})
}
