package sparse

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// anyNumbers draws numbers of all sizes, some of them none, zeros of both signs among them.
func anyNumbers(t *rapid.T, name string, n int) []float64 {
	number := rapid.OneOf(rapid.Float64Range(-2, 2), rapid.Float64Range(-2, 2), rapid.Float64(),
		rapid.SampledFrom([]float64{0, math.Copysign(0, -1), math.Inf(1), math.NaN(), 1e308, -1e308, 5e-324}))
	return rapid.SliceOfN(number, n, n).Draw(t, name)
}

// same reports whether two numbers have the same bits, or are none both.
func same(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)
}

// Rows together have the bits of rows one by one.
func TestRowsTogetherAreRowsOneByOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		count, width := rapid.IntRange(0, 11).Draw(t, "rows"), rapid.IntRange(0, 39).Draw(t, "width")
		rows, y := anyNumbers(t, "x", count*width), anyNumbers(t, "y", width+1)
		plus := rapid.SampledFrom([]float64{0, 1, -0.3}).Draw(t, "plus")
		dots := make([]float64, Fours(count))
		DotRows(dots, rows, count, width, y, plus)
		weights, got := anyNumbers(t, "weights", count), anyNumbers(t, "dst", width+1)
		want := append([]float64(nil), got...)
		AxpyRows(got, weights, rows, width)
		for i := range count {
			row := rows[i*width : (i+1)*width]
			if one := Dot(row, y) + plus; !same(dots[i], one) {
				t.Fatalf("row %d of %d of width %d gives %v, alone %v", i, count, width, dots[i], one)
			}
			Axpy(want, weights[i], row)
		}
		for j := range want {
			if !same(got[j], want[j]) {
				t.Fatalf("column %d of %d is %v with %d rows, want %v", j, width, got[j], count, want[j])
			}
		}
		norms, short := anyNumbers(t, "norms", count), append([]float64(nil), weights...)
		for i, v := range norms {
			norms[i] = math.Abs(v)
		}
		clip := rapid.SampledFrom([]float64{0.5, 1e-3, math.Inf(1)}).Draw(t, "clip")
		plain := append([]float64(nil), weights...)
		if got, want := Shorten(short, norms, clip), shorten(plain, norms, clip); got != want {
			t.Fatalf("all of %v and %v finite: %v", weights, norms, got)
		}
		for i := range plain {
			if !same(short[i], plain[i]) {
				t.Fatalf("%v of norm %v is shortened to %v, want %v", weights[i], norms[i], short[i], plain[i])
			}
		}
		Prefetch(rows)
	})
}

// Vector kernels have the bits of plain loops, of vectors of any length.
func TestVectorsAreNumbersOneByOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 40).Draw(t, "n")
		x, y := anyNumbers(t, "x", n), anyNumbers(t, "y", n)
		a := anyNumbers(t, "a", 1)[0]
		if got, want := Dot(x, y), dot(x, y); !same(got, want) {
			t.Fatalf("a product of %d numbers is %v, want %v", n, got, want)
		}
		for _, bound := range []float64{1, math.Abs(a), math.Inf(1)} {
			if got, want := Within(x, bound), within(x, bound); got != want {
				t.Fatalf("%v within %v: %v", x, bound, got)
			}
		}
		got, want := append([]float64(nil), y...), append([]float64(nil), y...)
		Axpy(got, a, x)
		axpy(want, a, x)
		Scale(got, 0.3)
		scale(want, 0.3)
		for i := range want {
			if !same(got[i], want[i]) {
				t.Fatalf("entry %d of %d is %v, want %v", i, n, got[i], want[i])
			}
		}
	})
}

// BenchmarkRows is what a node's 8 rows of 8 numbers take: their products with a vector, and their sum.
func BenchmarkRows(b *testing.B) {
	const count, width = 8, 8
	rng := rand.New(rand.NewPCG(1, 2))
	rows, y, dst := make([]float64, count*width), make([]float64, width), make([]float64, count)
	for i := range rows {
		rows[i] = rng.NormFloat64()
	}
	b.Run("dot", func(b *testing.B) {
		for range b.N {
			DotRows(dst, rows, count, width, y, 1)
		}
	})
	b.Run("dot-plain", func(b *testing.B) {
		for range b.N {
			dotRows(dst, rows, count, width, y, 1)
		}
	})
	b.Run("axpy", func(b *testing.B) {
		for range b.N {
			AxpyRows(y, dst, rows, width)
		}
	})
	b.Run("axpy-plain", func(b *testing.B) {
		for range b.N {
			axpyRows(y, dst, rows, width)
		}
	})
}
