package tile

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The inverse of a matrix whose diagonal dominates is one, of any number of blocks.
func TestInvert(t *testing.T) {
	var p Product
	for _, n := range []int{1, 2, 17, inverted, inverted + 1, 2*inverted + 40} {
		rng := rand.New(rand.NewPCG(uint64(n), 3))
		a := make([]float64, n*n)
		for i := range n {
			for j := range n {
				a[i*n+j] = rng.NormFloat64() / float64(2*n)
			}
			a[i*n+i]++
		}
		inverse := append([]float64(nil), a...)
		if !p.Invert(inverse, n) {
			t.Fatalf("%d rows have no inverse", n)
		}
		for i := range n {
			for j := range n {
				sum := 0.0
				for k := range n {
					sum += a[i*n+k] * inverse[k*n+j]
				}
				if i == j {
					sum--
				}
				if !(math.Abs(sum) < 1e-13) {
					t.Fatalf("%d rows: entry %d, %d of a times its inverse is off by %v", n, i, j, sum)
				}
			}
		}
	}
	if p.Invert([]float64{1, 1, 1, 1}, 2) {
		t.Error("a singular matrix has an inverse")
	}
}
