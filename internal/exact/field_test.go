package exact

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/sparsetest"
	"github.com/hearsay-dp/hearsay/sparse"
	"pgregory.net/rapid"
)

func TestFieldsEqualBigIntegers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for _, f := range Fields() {
			p := new(big.Int).SetUint64(f.Prime())
			if !p.ProbablyPrime(20) {
				t.Fatalf("%d is not prime", f.Prime())
			}
			a := rapid.Uint64Range(0, f.Prime()-1).Draw(t, "a")
			b := rapid.Uint64Range(0, f.Prime()-1).Draw(t, "b")
			x, y := new(big.Int).SetUint64(a), new(big.Int).SetUint64(b)
			check := func(what string, got uint64, want *big.Int) {
				if want.Mod(want, p); got != want.Uint64() {
					t.Fatalf("%s of %d and %d is %d, want %d", what, a, b, got, want)
				}
			}
			check("sum", f.Add(a, b), new(big.Int).Add(x, y))
			check("product", f.Mul(a, b), new(big.Int).Mul(x, y))
			check("negative", f.Neg(a), new(big.Int).Neg(x))
			if b != 0 {
				check("inverse", f.Inverse(b), new(big.Int).ModInverse(y, p))
			}
			numerator, denominator := rapid.Int64Range(-1<<40, 1<<40).Draw(t, "n"), rapid.Int64Range(1, 1<<20).Draw(t, "d")
			check("fraction", f.Mul(f.Fraction(numerator, denominator), f.reduce(uint64(denominator))), big.NewInt(numerator))
		}
	})
}

func TestRationalFindsWhatWasRounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := rapid.Int64Range(1, mostDenominator).Draw(t, "q")
		p := rapid.Int64Range(-2000*q, 2000*q).Draw(t, "p")
		numerator, denominator, ok := Rational(float64(p) / float64(q))
		if !ok || numerator*q != p*denominator {
			t.Fatalf("%d/%d was taken for %d/%d (%v)", p, q, numerator, denominator, ok)
		}
	})
	for _, x := range []float64{math.Pi, math.NaN(), math.Inf(1), 1e300, 5e-324, 1e-9, math.Sqrt2 - 1} {
		if p, q, ok := Rational(x); ok {
			t.Errorf("%v was taken for %d/%d", x, p, q)
		}
	}
}

func FuzzRational(f *testing.F) {
	for _, x := range []float64{0, 1.0 / 3, -0.75, math.Pi, 1e300, math.NaN()} {
		f.Add(x)
	}
	f.Fuzz(func(t *testing.T, x float64) {
		p, q, ok := Rational(x)
		if ok && (q < 1 || q > mostDenominator || math.Abs(float64(p)/float64(q)-x) > oneRounding*math.Abs(x)) {
			t.Errorf("%v was taken for %d/%d", x, p, q)
		}
	})
}

// rankOf is the rank of integer rows by elimination in rational numbers, and
// which unit vectors they span.
func rankOf(rows [][]int64, n int) (rank int, units []int) {
	var reduced [][]*big.Rat
	for _, row := range rows {
		x := make([]*big.Rat, n)
		for i, v := range row {
			x[i] = big.NewRat(v, 1)
		}
		reduced = append(reduced, x)
	}
	for column := range n {
		k := slices.IndexFunc(reduced[min(rank, len(reduced)):], func(x []*big.Rat) bool { return x[column].Sign() != 0 })
		if k < 0 {
			continue
		}
		reduced[rank], reduced[rank+k] = reduced[rank+k], reduced[rank]
		pivot := new(big.Rat).Inv(reduced[rank][column])
		for i := range n {
			reduced[rank][i].Mul(reduced[rank][i], pivot)
		}
		for k, x := range reduced {
			factor := new(big.Rat).Set(x[column])
			for i := 0; k != rank && i < n; i++ {
				x[i].Sub(x[i], new(big.Rat).Mul(factor, reduced[rank][i]))
			}
		}
		rank++
	}
	for _, x := range reduced[:rank] {
		nonzero, last := 0, 0
		for i, v := range x {
			if v.Sign() != 0 {
				nonzero, last = nonzero+1, i
			}
		}
		if nonzero == 1 {
			units = append(units, last)
		}
	}
	slices.Sort(units)
	return rank, units
}

func TestEchelonEqualsRationalElimination(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "n")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 8))
		var rows [][]int64
		for range rapid.IntRange(0, 10).Draw(t, "rows") {
			row := make([]int64, n)
			for i := range row {
				row[i] = max(0, rng.Int64N(7)-3)
			}
			rows = append(rows, row)
		}
		rank, units := rankOf(rows, n)
		for _, f := range Fields() {
			e := NewEchelon(n, f)
			for _, row := range rows {
				x := make([]uint64, n)
				for i, v := range row {
					x[i] = f.integer(v)
				}
				before := e.Rank()
				if added := e.Insert(x); added != (e.Rank() == before+1) {
					t.Fatal("Insert does not say what it did")
				}
			}
			if e.Rank() != rank || !slices.Equal(e.Units(), units) && len(units) > 0 {
				t.Fatalf("rank %d, units %v; want %d, %v", e.Rank(), e.Units(), rank, units)
			}
		}
	})
}

func TestFractionsSumToOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := sparsetest.DrawWalk(t, 20)
		fractions, ok := FractionsOf(m)
		if !ok {
			t.Fatal("no fractions")
		}
		entries := fractions.Fixed()
		for _, f := range Fields() {
			residues := fractions.Residues(f)
			for i := range m.N {
				sum, precise := uint64(0), Fixed{}
				for at := m.Offsets[i]; at < m.Offsets[i+1]; at++ {
					sum, precise = f.Add(sum, residues[at]), precise.Add(entries[at])
					if math.Abs(entries[at].Float64()-m.Values[at]) > 1e-15 {
						t.Fatalf("entry %v is %v", m.Values[at], entries[at])
					}
				}
				if sum != 1 || precise != FixedOne {
					t.Fatalf("row %d sums to %d and %v", i, sum, precise)
				}
			}
		}
	})
	for _, bad := range [][]float64{{0.5, 0.4, 0, 1}, {1 - 1/math.Pi, 1 / math.Pi, 0, 1}} {
		if _, ok := FractionsOf(sparse.FromDense(2, bad)); ok {
			t.Errorf("%v has fractions", bad)
		}
	}
}

func BenchmarkModularKrylov(b *testing.B) {
	m := sparsetest.CycleWalk(512)
	fractions, _ := FractionsOf(m)
	f := Fields()[1]
	residues := fractions.Residues(f)
	for b.Loop() {
		Krylov(m, residues, f, []int{1, 511}, 100, []int{0})
	}
}
