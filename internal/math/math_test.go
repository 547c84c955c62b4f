package math

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// A pair is a function here and the standard library's.
type pair struct {
	name      string
	own, std  func(float64) float64
	low, high float64 // where it is compared
	units     float64 // in the last place
}

func pairs() []pair {
	lgamma := func(f func(float64) (float64, int)) func(float64) float64 {
		return func(x float64) float64 { y, sign := f(x); return y + float64(sign) }
	}
	power := func(f func(x, y float64) float64) func(float64) float64 {
		return func(x float64) float64 { return f(x, 7.25) }
	}
	return []pair{
		{"Acosh", Acosh, math.Acosh, 1, 1e9, 3},
		{"Asinh", Asinh, math.Asinh, -1e9, 1e9, 3},
		{"Atanh", Atanh, math.Atanh, -1, 1, 3},
		{"Cos", Cos, math.Cos, -1e6, 1e6, 2},
		{"Cosh", Cosh, math.Cosh, -709, 709, 4},
		{"Erf", Erf, math.Erf, -7, 7, 4},
		{"Erfc", Erfc, math.Erfc, -6, 27, 8},
		{"Exp2", Exp2, math.Exp2, -1000, 1000, 4},
		{"Expm1", Expm1, math.Expm1, -709, 709, 2},
		{"Log", Log, math.Log, 0, 1e9, 2},
		{"Log10", Log10, math.Log10, 2, 1e9, 2},
		{"Log1p", Log1p, math.Log1p, -1, 1e9, 2},
		{"Log2", Log2, math.Log2, 2, 1e9, 2},
		{"Lgamma", lgamma(Lgamma), lgamma(math.Lgamma), 3, 1e6, 4},
		{"Pow", power(Pow), power(math.Pow), 0, 1e30, 6},
		{"Sin", Sin, math.Sin, -1e6, 1e6, 2},
		{"Sinh", Sinh, math.Sinh, -709, 709, 4},
		{"Tanh", Tanh, math.Tanh, -20, 20, 4},
	}
}

// Functions are near the standard library's, and the same where those are exact: at 0,
// ends, infinities and NaN.
func TestFunctionsAreNearTheStandardLibrarys(t *testing.T) {
	for _, p := range pairs() {
		t.Run(p.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				x := rapid.OneOf(rapid.Float64Range(p.low, p.high), rapid.Float64Range(max(p.low, -2), min(p.high, 4)),
					rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 1, -1, p.low, p.high, math.Inf(1), math.Inf(-1), math.NaN(), 1e5, 1e-300})).Draw(t, "x")
				got, want := p.own(x), p.std(x)
				if math.IsNaN(want) && math.IsNaN(got) || got == want {
					return
				}
				if unit := math.Nextafter(math.Abs(want), math.Inf(1)) - math.Abs(want); !(math.Abs(got-want) <= p.units*unit) {
					t.Fatalf("%s(%v) = %v, want %v: %.1f units in the last place apart", p.name, x, got, want, (got-want)/unit)
				}
			})
		})
	}
}

// An angle is a whole number of turns and a rest, also where it is large.
func TestSincosOfLargeAngles(t *testing.T) {
	sin, cos := Sincos(1e12)
	if math.Abs(sin-math.Sin(math.Mod(1e12, 2*math.Pi))) > 1e-15 || math.Abs(sin*sin+cos*cos-1) > 1e-15 {
		t.Errorf("Sincos(1e12) = %v, %v", sin, cos)
	}
}

// Speed beside the standard library's.
func BenchmarkFunctions(b *testing.B) {
	hot := append(pairs(), pair{name: "Exp", own: Exp, std: math.Exp})
	for _, p := range hot {
		for _, f := range []struct {
			name string
			of   func(float64) float64
		}{{"own", p.own}, {"std", p.std}} {
			b.Run(p.name+"/"+f.name, func(b *testing.B) {
				sum := 0.0
				for i := range b.N {
					sum += f.of(float64(i&255)/64 + 0.01)
				}
				sink = sum
			})
		}
	}
}
