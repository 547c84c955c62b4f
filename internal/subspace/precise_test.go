package subspace

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/exact"
	"github.com/hearsay-dp/hearsay/internal/sparsetest"
	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"
)

// On what one precision can tell, two agree with it.
func TestPreciseSpanEqualsSpan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, count := rapid.IntRange(1, 25).Draw(t, "n"), 0
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
		ones := make([]float64, n)
		for i := range ones {
			ones[i] = 1
		}
		s, precise := NewSpan(n), NewPreciseSpan(ones)
		for range rapid.IntRange(1, 3).Draw(t, "portions") {
			var vectors [][]float64
			var candidates [][]exact.Double
			for range rapid.IntRange(0, 6).Draw(t, "vectors") {
				x := sparsetest.Block(rng, n)
				floats.Scale(1/floats.Norm(x, 2), x)
				vectors = append(vectors, x)
				candidates = append(candidates, make([]exact.Double, n))
				for i, v := range x {
					candidates[len(candidates)-1][i].Hi = v
				}
			}
			count = s.Insert(vectors...)
			precise.Insert(candidates, count)
		}
		if precise.Rank() != s.Rank() {
			t.Fatalf("rank %d, want %d", precise.Rank(), s.Rank())
		}
		for i := range n {
			for j := range n {
				if math.Abs(precise.Product(i, j)-s.Product(i, j)) > 1e-9 {
					t.Fatalf("product (%d, %d) is %v, want %v", i, j, precise.Product(i, j), s.Product(i, j))
				}
			}
		}
	})
}
