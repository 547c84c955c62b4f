package math

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// Slopes at once have the bits of one by one and of the formula, whatever stands among them.
func TestLogisticIsEach(t *testing.T) {
	number := rapid.OneOf(rapid.Float64Range(-5, 5), rapid.Float64Range(-50, 50), rapid.Float64Range(-720, 720),
		rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 708, -708, math.Nextafter(708, 709), 709.5, -1000, math.Inf(1), math.Inf(-1), math.NaN()}))
	label := rapid.OneOf(rapid.SampledFrom([]float64{-1, 1}), rapid.SampledFrom([]float64{-1, 1}),
		rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 0.3, -7, math.NaN(), math.Inf(-1)}))
	rapid.Check(t, func(t *rapid.T) {
		y := rapid.SliceOfN(label, 0, 14).Draw(t, "y")
		z := rapid.SliceOfN(number, (len(y)+3)&^3, (len(y)+3)&^3).Draw(t, "z")
		negative, positive := rapid.Float64Range(0.1, 3).Draw(t, "negative"), rapid.SampledFrom([]float64{1, 0.5}).Draw(t, "positive")
		got := make([]float64, len(z))
		Logistic(got, z, y, negative, positive)
		for i, v := range y {
			w := negative
			if v > 0 {
				w = positive
			}
			want := -w * v / (1 + Exp(v*z[i]))
			if math.Float64bits(got[i]) != math.Float64bits(want) && !(math.IsNaN(got[i]) && math.IsNaN(want)) {
				t.Fatalf("the slope %d of %d at %v of %v is %v among others, %v alone", i, len(y), z[i], v, got[i], want)
			}
		}
	})
}

func BenchmarkLogistic(b *testing.B) {
	z, y, dst := make([]float64, 8), []float64{1, -1, 1, 1, -1, -1, 1, -1}, make([]float64, 8)
	for i := range z {
		z[i] = float64(i)/8 - 0.4
	}
	b.Run("eight", func(b *testing.B) {
		for range b.N {
			Logistic(dst, z, y, 1, 1)
		}
	})
	b.Run("eight-plain", func(b *testing.B) {
		for range b.N {
			for i, v := range y {
				dst[i] = logistic(z[i], v, 1, 1)
			}
		}
	})
}
