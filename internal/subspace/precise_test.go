package subspace

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/drawntest"
	"github.com/hearsay-dp/hearsay/internal/exact"
	"github.com/hearsay-dp/hearsay/internal/sparsetest"
	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"
)

// On what 16 digits can tell, 72 agree with it.
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
			var candidates [][]exact.Fixed
			for range rapid.IntRange(0, 6).Draw(t, "vectors") {
				x := sparsetest.Block(rng, n)
				floats.Scale(1/floats.Norm(x, 2), x)
				vectors = append(vectors, x)
				candidates = append(candidates, make([]exact.Fixed, n))
				for i, v := range x {
					candidates[len(candidates)-1][i] = exact.FixedOf(v)
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

// Where few steps are made orthogonal to all, the basis is as orthogonal as it is said to be; without any it would
// be far from it.
func TestPreciseKrylovIsOrthogonalEnough(t *testing.T) {
	tried, left := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		m := sparsetest.DrawStrip(t, 150)
		starts := sparsetest.DrawIndices(t, m.N)
		starts = starts[:min(len(starts), rapid.IntRange(1, 5).Draw(t, "few"))]
		steps := rapid.IntRange(1, 80).Draw(t, "steps")
		fractions, _ := exact.FractionsOf(m)
		f := exact.Fields()[1]
		_, profile := exact.Krylov(m, fractions.Residues(f), f, starts, steps, nil)
		s := PreciseKrylov(m, fractions.Fixed(), slices.Repeat([]float64{1}, m.N), starts, nil, profile)
		if s.Faintest() < 1e-25 {
			return // what is dropped there is not much fainter than what is kept
		}
		off := 0.0
		for i, a := range s.basis {
			for _, b := range s.basis[:i] {
				off = max(off, math.Abs(exact.DotFixed(a.weighted, b.entries).Float64()))
			}
		}
		if off > 100*preciselyTolerated {
			t.Fatalf("two of %d directions have the product %g", s.Rank(), off)
		}
		tried++
		if off > 1e-60 {
			left++
		}
	})
	drawntest.Often(t, "something is left as it was", left, tried, 0.11)
}
