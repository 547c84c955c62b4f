package chebyshev

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hearsay-dp/hearsay/sparse"
)

// Eigenpairs are such to rounding, in their order, also where eigenvalues are equal.
func TestSymmetricPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{0, 1, 2, 7, 60} {
		a, whole := make([][]float64, n), make([][]float64, n)
		for i := range a {
			a[i] = make([]float64, n)
		}
		for i := range a {
			for j := range i + 1 {
				a[i][j] = float64(rng.IntN(3)) - 1
				a[j][i] = a[i][j]
			}
		}
		for i, row := range a {
			whole[i] = append([]float64(nil), row...)
		}
		values, vectors, ok := symmetricPairs(a)
		if !ok || len(values) != n {
			t.Fatalf("order %d: %d values, converged %v", n, len(values), ok)
		}
		for k, v := range vectors {
			if k > 0 && values[k] < values[k-1] || math.Abs(sparse.Norm(v)-1) > 1e-13 {
				t.Errorf("order %d: value %d is %v, its vector of length %v", n, k, values[k], sparse.Norm(v))
			}
			for i, row := range whole {
				if off := sparse.Dot(row, v) - values[k]*v[i]; math.Abs(off) > 1e-13*float64(n) {
					t.Errorf("order %d: pair %d is off by %v", n, k, off)
				}
			}
		}
	}
}
