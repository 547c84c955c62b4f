package queue

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"runtime"
)

// Arithmetic returns a digest of function values whose last bits differ between processors, even
// with the same program, because Go uses a fused exp where the processor has one.
func Arithmetic() string {
	sum := sha256.New()
	var buffer [8]byte
	put := func(x float64) {
		binary.LittleEndian.PutUint64(buffer[:], math.Float64bits(x))
		sum.Write(buffer[:])
	}
	functions := []func(float64) float64{
		math.Exp, math.Expm1, math.Log, math.Log1p, math.Log2, math.Sqrt, math.Cbrt, math.Sin, math.Cos, math.Tan, math.Atan, math.Tanh, math.Sinh, math.Erf, math.Erfc,
		math.Gamma, func(x float64) float64 { y, _ := math.Lgamma(x); return y }, func(x float64) float64 { return math.Pow(x, 0.3) },
		func(x float64) float64 { return math.Hypot(x, 1/x) }, func(x float64) float64 { return float64(x*x*x) + x },
	}
	for i := range 512 {
		x := math.Ldexp(1+float64(i*i%509)/509, i%16-10)
		for _, f := range functions {
			put(f(x))
		}
	}
	sum.Write([]byte(runtime.GOARCH))
	return hex.EncodeToString(sum.Sum(nil)[:8])
}
