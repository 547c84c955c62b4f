package math

import "math"

// Constants of the standard library.
const (
	Pi     = math.Pi
	Phi    = math.Phi
	E      = math.E
	Sqrt2  = math.Sqrt2
	SqrtPi = math.SqrtPi
	Ln2    = math.Ln2
	Ln10   = math.Ln10
	Log2E  = math.Log2E

	MaxFloat64             = math.MaxFloat64
	MaxFloat32             = math.MaxFloat32
	SmallestNonzeroFloat64 = math.SmallestNonzeroFloat64

	MaxInt, MaxInt16, MaxInt32, MaxInt64, MinInt64 = math.MaxInt, math.MaxInt16, math.MaxInt32, math.MaxInt64, math.MinInt64
	MaxUint8, MaxUint16, MaxUint32, MaxUint64      = math.MaxUint8, math.MaxUint16, math.MaxUint32, math.MaxUint64
)

// These functions of the standard library are exact or correctly rounded by definition.
// On every processor they give the same bits.

func Abs(x float64) float64             { return math.Abs(x) }
func Ceil(x float64) float64            { return math.Ceil(x) }
func Copysign(x, sign float64) float64  { return math.Copysign(x, sign) }
func FMA(x, y, z float64) float64       { return math.FMA(x, y, z) }
func Float32bits(x float32) uint32      { return math.Float32bits(x) }
func Float32frombits(b uint32) float32  { return math.Float32frombits(b) }
func Float64bits(x float64) uint64      { return math.Float64bits(x) }
func Float64frombits(b uint64) float64  { return math.Float64frombits(b) }
func Floor(x float64) float64           { return math.Floor(x) }
func Frexp(x float64) (float64, int)    { return math.Frexp(x) }
func Inf(sign int) float64              { return math.Inf(sign) }
func IsInf(x float64, sign int) bool    { return math.IsInf(x, sign) }
func IsNaN(x float64) bool              { return math.IsNaN(x) }
func Ldexp(x float64, exp int) float64  { return math.Ldexp(x, exp) }
func Max(x, y float64) float64          { return math.Max(x, y) }
func Min(x, y float64) float64          { return math.Min(x, y) }
func Mod(x, y float64) float64          { return math.Mod(x, y) }
func Modf(x float64) (float64, float64) { return math.Modf(x) }
func NaN() float64                      { return math.NaN() }
func Nextafter(x, y float64) float64    { return math.Nextafter(x, y) }
func Nextafter32(x, y float32) float32  { return math.Nextafter32(x, y) }
func Pow10(n int) float64               { return math.Pow10(n) }
func Round(x float64) float64           { return math.Round(x) }
func RoundToEven(x float64) float64     { return math.RoundToEven(x) }
func Signbit(x float64) bool            { return math.Signbit(x) }
func Sqrt(x float64) float64            { return math.Sqrt(x) }
func Trunc(x float64) float64           { return math.Trunc(x) }

// Log2 returns the binary logarithm of x, exact at powers of 2.
func Log2(x float64) float64 {
	part, exp := Frexp(x)
	if part == 0.5 {
		return float64(exp - 1)
	}
	return float64(Log(part)*(1/Ln2)) + float64(exp)
}

// Log10 returns the decimal logarithm of x.
func Log10(x float64) float64 { return Log2(x) * (Ln2 / Ln10) }

// Exp2 returns 2^x, exact where x is whole.
func Exp2(x float64) float64 {
	whole := Round(max(-1100, min(1100, x)))
	return Ldexp(Exp(Ln2*(x-whole)), int(whole))
}
