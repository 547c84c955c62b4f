package allpairs

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Matrices without good pivots on their diagonals are inverted, and a singular one is not finite.
func TestInvertByPivots(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{1, 2, 3, 20} {
		a := make([]float64, n*n)
		for i := range a {
			if a[i] = rng.NormFloat64(); i%(n+1) == 0 && n > 1 {
				a[i] = 0
			}
		}
		z := append([]float64(nil), a...)
		invertByPivots(z, n)
		for i := range n {
			for j := range n {
				sum := 0.0
				for k := range n {
					sum += a[i*n+k] * z[k*n+j]
				}
				if i == j {
					sum--
				}
				if !(math.Abs(sum) < 1e-11) {
					t.Errorf("order %d: entry (%d, %d) of the product is off by %g", n, i, j, sum)
				}
			}
		}
	}
	if z := []float64{1, 2, 2, 4}; finite(z) {
		if invertByPivots(z, 2); finite(z) {
			t.Errorf("a singular matrix has the inverse %v", z)
		}
	}
}
