package linalg

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"
)

// cycleWalk is the lazy walk on a cycle of n >= 3.
func cycleWalk(n int) *Sparse {
	m := &Sparse{N: n, Offsets: []int{0}}
	for i := range n {
		row := []int32{int32((i + n - 1) % n), int32(i), int32((i + 1) % n)}
		slices.Sort(row)
		m.Columns = append(m.Columns, row...)
		m.Values = append(m.Values, 1.0/3, 1.0/3, 1.0/3)
		m.Offsets = append(m.Offsets, len(m.Columns))
	}
	return m
}

func drawStarts(t *rapid.T, n int) []int {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "starts"), 6))
	return rng.Perm(n)[:rapid.IntRange(0, n).Draw(t, "count")]
}

func isClear(s *Span) bool { return s.Margin().Faintest > 1e-5 && s.Margin().Brightest < 1e-13 }

// Float, double and exact arithmetic agree where the first is clear; and the
// block does not leave the space that the powers themselves span.
func TestKrylovEqualsExactArithmetic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawWalk(t, 30)
		fractions, _ := m.Fractions()
		starts, steps := drawStarts(t, m.N), rapid.IntRange(1, 25).Draw(t, "steps")
		extra := []int{rapid.IntRange(0, m.N-1).Draw(t, "extra")}
		k := NewKrylov(m, true, starts)
		k.Grow(steps)
		k.Span.InsertUnits(extra)
		f := Fields()[1]
		e, profile := ModularKrylov(m, fractions.Residues(f), f, starts, steps, extra)
		if e.Rank() != profile.Rank() {
			t.Fatalf("rank %d, profile %+v", e.Rank(), profile)
		}
		if !isClear(k.Span) {
			return
		}
		if k.Span.Rank() != e.Rank() {
			t.Fatalf("rank %d, want %d", k.Span.Rank(), e.Rank())
		}
		weights := make([]float64, m.N)
		for i := range weights {
			weights[i] = 1
		}
		precise := PreciseKrylov(m, fractions.Double(), weights, starts, extra, profile)
		units := []int{}
		for i := range m.N {
			if math.Abs(precise.Product(i, i)-k.Span.Product(i, i)) > 1e-10 {
				t.Fatalf("entry %d is %v, in twice the precision %v", i, k.Span.Product(i, i), precise.Product(i, i))
			}
			if precise.Product(i, i) > 1-1e-14 {
				units = append(units, i)
			}
		}
		if !slices.Equal(units, e.Units()) {
			t.Fatalf("units %v, exactly %v", units, e.Units())
		}
	})
}

// Any matrix, symmetric or not: the space holds the powers.
func TestKrylovHoldsThePowers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawSparse(t)
		starts, steps := drawStarts(t, m.N), rapid.IntRange(1, 6).Draw(t, "steps")
		k := NewKrylov(m, m.Symmetric(0), starts)
		k.Grow(steps)
		projected := make([]float64, m.N)
		for _, w := range starts {
			x, next := make([]float64, m.N), make([]float64, m.N)
			x[w] = 1
			for range steps {
				k.Span.Project(projected, x)
				Axpy(projected, -1, x)
				if left := norm(projected); left > 1e-9*max(1, norm(x)) {
					t.Fatalf("a power of length %g sticks out by %g", norm(x), left)
				}
				m.MulBlock(next, x, 1)
				copy(x, next)
			}
		}
	})
}

func TestKrylovStopsWhenInvariant(t *testing.T) {
	k := NewKrylov(cycleWalk(12), true, []int{0})
	k.Grow(100)
	if k.Span.Rank() != 7 || !k.Invariant() || k.Steps() > 9 {
		t.Errorf("rank %d after %d steps", k.Span.Rank(), k.Steps())
	}
	if empty := NewKrylov(cycleWalk(5), true, nil); !empty.Invariant() || empty.Span.Rank() != 0 {
		t.Error("nothing grows from nothing")
	}
}

// A view pulled back through the same matrix is a Krylov space.
func TestPullbackOfOneMatrixIsKrylov(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawWalk(t, 25)
		fractions, _ := m.Fractions()
		f := Fields()[1]
		residues, entries := fractions.Residues(f), fractions.Double()
		starts, steps := drawStarts(t, m.N), rapid.IntRange(1, 10).Draw(t, "steps")
		weights := make([]float64, m.N)
		for i := range weights {
			weights[i] = 1
		}
		s, e, p := NewSpan(m.N), NewEchelon(m.N, f), NewPreciseSpan(weights)
		factor := NewFactor(m)
		factor.Residues, factor.Entries = residues, entries
		once := []Factor{factor}
		for range steps {
			s, e = s.Pullback(once, starts), e.Pullback(once, starts)
			p = p.Pullback(once, starts, e.Rank())
		}
		want, profile := ModularKrylov(m, residues, f, starts, steps, nil)
		if e.Rank() != want.Rank() || !slices.Equal(e.Units(), want.Units()) {
			t.Fatalf("rank %d, want %d", e.Rank(), want.Rank())
		}
		precise := PreciseKrylov(m, entries, weights, starts, nil, profile)
		for i := range m.N {
			if math.Abs(p.Product(i, i)-precise.Product(i, i)) > 1e-12 && min(p.Faintest(), precise.Faintest()) > 1e-12 {
				t.Fatalf("entry %d is %v, want %v", i, p.Product(i, i), precise.Product(i, i))
			}
			if isClear(s) && math.Abs(s.Product(i, i)-p.Product(i, i)) > 1e-9 {
				t.Fatalf("entry %d is %v, in twice the precision %v", i, s.Product(i, i), p.Product(i, i))
			}
		}
	})
}

func TestEquitablePartitions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawWalk(t, 25)
		fractions, _ := m.Fractions()
		f := Fields()[1]
		residues := fractions.Residues(f)
		alone := drawStarts(t, m.N)
		c := m.Equitable(residues, f, alone)
		q := m.Quotient(c)
		if !q.Check(m, residues, f) {
			t.Fatal("the partition is not equitable")
		}
		for _, i := range alone {
			if c.Size[c.Of[i]] != 1 {
				t.Fatalf("index %d is not alone", i)
			}
		}
		// what is constant on cells stays so, and the quotient says what it becomes
		x, y, value, image := make([]float64, m.N), make([]float64, m.N), make([]float64, len(c.Size)), make([]float64, len(c.Size))
		for k := range value {
			value[k] = float64(k*k%17) - 5
		}
		for i := range x {
			x[i] = value[c.Of[i]]
		}
		m.MulBlock(y, x, 1)
		q.Matrix.MulBlock(image, value, 1)
		for i := range y {
			if math.Abs(y[i]-image[c.Of[i]]) > 1e-12 {
				t.Fatalf("index %d becomes %v, its cell %v", i, y[i], image[c.Of[i]])
			}
		}
	})
}

// mergeTwo joins the first two cells of two or more.
func mergeTwo(c *Cells) *Cells {
	merged := &Cells{Of: slices.Clone(c.Of), First: slices.Delete(slices.Clone(c.First), 1, 2), Size: slices.Delete(slices.Clone(c.Size), 1, 2)}
	merged.Size[0] += c.Size[1]
	for i, cell := range merged.Of {
		if cell > 0 {
			merged.Of[i] = cell - 1
		}
	}
	return merged
}

func TestCheckRefusesWhatIsNotEquitable(t *testing.T) {
	m := cycleWalk(6)
	fractions, _ := m.Fractions()
	f := Fields()[1]
	residues := fractions.Residues(f)
	opposite := m.Equitable(residues, f, []int{0})
	if len(opposite.Size) != 4 || !m.Quotient(opposite).Check(m, residues, f) {
		t.Fatalf("%d cells, want 4", len(opposite.Size))
	}
	merged := mergeTwo(opposite)
	if m.Quotient(merged).Check(m, residues, f) {
		t.Error("node 0 and its neighbours passed for one cell")
	}
}

func TestEachCallsEveryIndexOnce(t *testing.T) {
	for _, workers := range []int{-1, 1, 3, 20} {
		var calls [17]atomic.Int32
		Each(len(calls), workers, func(i int) { calls[i].Add(1) })
		for i := range calls {
			if n := calls[i].Load(); n != 1 {
				t.Errorf("%d workers: index %d was called %d times", workers, i, n)
			}
		}
	}
	Each(0, 3, func(int) { t.Error("called for nothing") })
}

func BenchmarkKrylov(b *testing.B) {
	m := cycleWalk(4096)
	for b.Loop() {
		k := NewKrylov(m, true, []int{0, 100, 200, 300, 400, 500, 600, 700})
		k.Grow(60)
	}
}
