package tile

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/hearsay-dp/hearsay/internal/draws"
)

// A product is the sums that it stands for, whatever the sizes and the strides.
func TestProduct(t *testing.T) {
	var p Product
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		size := func(name string, most int) int { return rapid.IntRange(1, most).Draw(t, name) }
		rows, m, n := size("rows", 40)+rapid.SampledFrom([]int{0, depth - 20, 2 * depth}).Draw(t, "more"), size("m", 40), size("n", 40)
		factor := func(columns int) (Factor, func(i, a int) float64) {
			f := Factor{Data: make([]float64, rows*columns), Row: columns, Column: 1}
			if rapid.Bool().Draw(t, "turned") {
				f.Row, f.Column = 1, rows
			}
			for i := range f.Data {
				f.Data[i] = rng.NormFloat64()
			}
			return f, func(i, a int) float64 { return f.Data[i*f.Row+a*f.Column] }
		}
		a, at := factor(m)
		b, bt := factor(n)
		stride := n + rapid.IntRange(0, 3).Draw(t, "gap")
		dst := make([]float64, m*stride)
		for i := range dst {
			dst[i] = float64(i)
		}
		p.Add(dst, stride, a, b, rows, m, n)
		for i := range m {
			for j := range stride {
				want := float64(i*stride + j)
				for k := 0; k < rows && j < n; k++ {
					want += at(k, i) * bt(k, j)
				}
				if got := dst[i*stride+j]; math.Abs(got-want) > 1e-10*(1+math.Abs(want)) {
					t.Fatalf("entry %d, %d is %g, want %g", i, j, got, want)
				}
			}
		}
	})
}
