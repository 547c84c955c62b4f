package sparse_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/sparsetest"
	"github.com/hearsay-dp/hearsay/sparse"
	"pgregory.net/rapid"
)

func TestALayoutMultipliesAsItsMatrixBitForBit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := sparsetest.Draw(t)
		l := sparse.NewLayout(m)
		cols := rapid.IntRange(1, 20).Draw(t, "cols")
		rng := rand.New(rand.NewPCG(7, rapid.Uint64().Draw(t, "block")))
		x, want := sparsetest.Block(rng, m.N*cols), sparsetest.Block(rng, m.N*cols)
		a, b, c := rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()

		placed := func(x []float64) []float64 {
			to, taken := make([]float64, len(x)), make([]bool, m.N)
			for i := range m.N {
				place := l.Place(i)
				if taken[place] {
					t.Fatalf("two rows stand at place %d", place)
				}
				taken[place] = true
				copy(to[place*cols:], x[i*cols:(i+1)*cols])
			}
			return to
		}
		dst, own := placed(want), placed(x)
		cut := rapid.IntRange(0, m.N).Draw(t, "cut")
		l.ThreeTermRows(dst, own, cols, cut, m.N, a, b, c)
		l.ThreeTermRows(dst, own, cols, 0, cut, a, b, c)
		got := make([]float64, len(dst))
		l.ByName(got, dst, cols)

		m.ThreeTerm(want, x, cols, a, b, c)
		if !slices.Equal(got, want) {
			t.Fatalf("a layout differs from its matrix at n=%d, %d columns", m.N, cols)
		}
	})
}

// A cycle whose names are drawn gets places, and one in order does not need any.
func TestABetterLayoutIsFoundWhereThereIsOne(t *testing.T) {
	const n = 1 << 15
	cycle := func(name []int) *sparse.Matrix {
		m := &sparse.Matrix{N: n, Offsets: make([]int, n+1), Columns: make([]int32, 2*n), Values: make([]float64, 2*n)}
		for k, i := range name {
			row := m.Columns[2*i : 2*i+2]
			row[0], row[1] = int32(name[(k+1)%n]), int32(name[(k+n-1)%n])
			slices.Sort(row)
			m.Offsets[k+1] = 2 * (k + 1)
		}
		return m
	}
	inOrder := make([]int, n)
	for i := range inOrder {
		inOrder[i] = i
	}
	if sparse.BetterLayout(cycle(inOrder)) != nil {
		t.Error("a cycle in order is put in another")
	}
	drawn := cycle(rand.New(rand.NewPCG(1, 1)).Perm(n))
	l := sparse.BetterLayout(drawn)
	if l == nil {
		t.Fatal("a cycle with names at random is taken as it is")
	}
	if before, after := drawn.Waits(), l.Waits(); before < n || after > n/100 {
		t.Errorf("%g entries were far away, %g are", before, after)
	}
}
