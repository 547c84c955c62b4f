package exact

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/drawntest"
	"github.com/hearsay-dp/hearsay/internal/sparsetest"
	"github.com/hearsay-dp/hearsay/internal/tile"
	"github.com/hearsay-dp/hearsay/sparse"
	"pgregory.net/rapid"
)

func TestNearestResidue(t *testing.T) {
	if !big.NewInt(smallPrime).ProbablyPrime(20) {
		t.Fatalf("%d is not prime", smallPrime)
	}
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Int64Range(-1<<53, 1<<53).Draw(t, "x")
		got := int64(nearest(float64(x)))
		if (x-got)%smallPrime != 0 || got > smallPrime/2+1 || got < -smallPrime/2-1 {
			t.Fatalf("%d is reduced to %d", x, got)
		}
		if a := rapid.Int64Range(1, smallPrime-1).Draw(t, "a"); (smallInverse(a)*a-1)%smallPrime != 0 {
			t.Fatalf("1/%d is not %d", a, smallInverse(a))
		}
	})
}

func TestSmallEntriesAreTheFractions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := sparsetest.DrawWalk(t, 20)
		fractions, _ := FractionsOf(m)
		small := fractions.Small()
		for i := range m.N {
			sum := 0.0
			for at := m.Offsets[i]; at < m.Offsets[i+1]; at++ {
				sum += small.Values[at]
				if int(m.Columns[at]) == i {
					continue
				}
				p, q, _ := Rational(m.Values[at])
				if (int64(small.Values[at])*q-p)%smallPrime != 0 {
					t.Fatalf("%d/%d became %v", p, q, small.Values[at])
				}
			}
			if nearest(sum-1) != 0 {
				t.Fatalf("row %d sums to %v", i, sum)
			}
		}
	})
}

// The inverse of a regular block, and no index left that could be added alone.
func TestSquareInverse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 9))
		s, rank := newSquare(tile.Width), rapid.IntRange(0, tile.Width).Draw(t, "rank")
		for range rank { // a sum of so many squares of random vectors
			x := make([]float64, tile.Width)
			for i := range x {
				x[i] = nearest(float64(rng.Int64N(smallPrime)))
			}
			for i := range x {
				for j := range x {
					s.set(i, j, nearest(s.row(i)[j]+nearest(x[i]*x[j])))
				}
			}
		}
		kept, inverse := s.invert()
		product, count := inverse.times(s), 0
		for i, k := range kept {
			if !k {
				continue
			}
			count++
			for j, l := range kept {
				want := 0.0
				if i == j {
					want = 1
				}
				if l && product.row(i)[j] != want {
					t.Fatalf("entry (%d, %d) of the product is %v", i, j, product.row(i)[j])
				}
			}
		}
		if count != rank { // a chance of about 16/2^23 a draw, below 1 % in 5000
			t.Fatalf("%d indices kept of rank %d", count, rank)
		}
	})
}

// Never above the exact rank, and mostly at it.
func TestKrylovRankIsBelowTheExactRank(t *testing.T) {
	tried, reached := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		m := sparsetest.DrawWalk(t, 40)
		fractions, _ := FractionsOf(m)
		starts, steps := sparsetest.DrawIndices(t, m.N), rapid.IntRange(1, 40).Draw(t, "steps")
		f := Fields()[1]
		e, _ := Krylov(m, fractions.Residues(f), f, starts, steps, nil)
		got := KrylovRank(fractions.Small(), starts, steps, m.N)
		if got > e.Rank() {
			t.Fatalf("rank %d, exactly %d", got, e.Rank())
		}
		tried++
		if got == e.Rank() {
			reached++
		}
	})
	drawntest.Often(t, "the rank is reached", reached, tried, 0.8)
}

// More directions than columns of a block: they are mixed.
func TestKrylovRankMixesStarts(t *testing.T) {
	m := sparsetest.CycleWalk(400)
	fractions, _ := FractionsOf(m)
	starts := rand.New(rand.NewPCG(1, 2)).Perm(400)[:40] // evenly spaced ones would not do
	if got := KrylovRank(fractions.Small(), starts, 60, 400); got != 400 {
		t.Errorf("rank %d of 400", got)
	}
	if got := KrylovRank(fractions.Small(), starts[:20], 19, 400); got > 380 {
		t.Errorf("rank %d of 380 vectors", got)
	}
	if got := KrylovRank(fractions.Small(), nil, 5, 400) + KrylovRank(fractions.Small(), starts, 0, 400); got != 0 {
		t.Errorf("rank %d of nothing", got)
	}
}

func TestSmallRefusesLongRows(t *testing.T) {
	n := exactSums + 1
	m := &sparse.Matrix{N: n, Offsets: []int{0}}
	for range n {
		for j := range n {
			m.Columns, m.Values = append(m.Columns, int32(j)), append(m.Values, 1/float64(n))
		}
		m.Offsets = append(m.Offsets, len(m.Columns))
	}
	fractions, ok := FractionsOf(m)
	if !ok || fractions.Small() != nil || math.IsNaN(m.At(0, 0)) {
		t.Error("rows too long for exact sums are taken")
	}
}
