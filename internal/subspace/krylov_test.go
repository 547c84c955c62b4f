package subspace

import (
	"math"
	"slices"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/exact"
	"github.com/hearsay-dp/hearsay/internal/sparsetest"
	"github.com/hearsay-dp/hearsay/sparse"
	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"

	_ "github.com/hearsay-dp/hearsay/internal/draws"
)

func isClear(s *Span) bool { return s.Margin().Faintest > 1e-5 && s.Margin().Brightest < 1e-13 }

// Float, double and exact arithmetic agree where the first is clear; and the
// block does not leave the space that the powers themselves span.
func TestKrylovEqualsExactArithmetic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := sparsetest.DrawWalk(t, 30)
		fractions, _ := exact.FractionsOf(m)
		starts, steps := sparsetest.DrawIndices(t, m.N), rapid.IntRange(1, 25).Draw(t, "steps")
		extra := []int{rapid.IntRange(0, m.N-1).Draw(t, "extra")}
		k := NewKrylov(m, true, starts)
		k.Grow(steps)
		k.Span.InsertUnits(extra)
		f := exact.Fields()[1]
		e, profile := exact.Krylov(m, fractions.Residues(f), f, starts, steps, extra)
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
		precise := PreciseKrylov(m, fractions.Fixed(), weights, starts, extra, profile)
		units := []int{}
		for i := range m.N {
			if math.Abs(precise.Product(i, i)-k.Span.Product(i, i)) > 1e-10 {
				t.Fatalf("entry %d is %v, in 72 digits %v", i, k.Span.Product(i, i), precise.Product(i, i))
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
		m := sparsetest.Draw(t)
		starts, steps := sparsetest.DrawIndices(t, m.N), rapid.IntRange(1, 6).Draw(t, "steps")
		k := NewKrylov(m, m.Symmetric(0), starts)
		k.Grow(steps)
		projected := make([]float64, m.N)
		for _, w := range starts {
			x, next := make([]float64, m.N), make([]float64, m.N)
			x[w] = 1
			for range steps {
				k.Span.Project(projected, x)
				sparse.Axpy(projected, -1, x)
				if left := floats.Norm(projected, 2); left > 1e-9*max(1, floats.Norm(x, 2)) {
					t.Fatalf("a power of length %g sticks out by %g", floats.Norm(x, 2), left)
				}
				m.MulBlock(next, x, 1)
				copy(x, next)
			}
		}
	})
}

func TestKrylovStopsWhenInvariant(t *testing.T) {
	k := NewKrylov(sparsetest.CycleWalk(12), true, []int{0})
	k.Grow(100)
	if k.Span.Rank() != 7 || !k.Invariant() || k.steps > 9 {
		t.Errorf("rank %d after %d steps", k.Span.Rank(), k.steps)
	}
	if empty := NewKrylov(sparsetest.CycleWalk(5), true, nil); !empty.Invariant() || empty.Span.Rank() != 0 {
		t.Error("nothing grows from nothing")
	}
}

// A view pulled back through the same matrix is a Krylov space.
func TestPullbackOfOneMatrixIsKrylov(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := sparsetest.DrawWalk(t, 25)
		fractions, _ := exact.FractionsOf(m)
		f := exact.Fields()[1]
		residues, entries := fractions.Residues(f), fractions.Fixed()
		starts, steps := sparsetest.DrawIndices(t, m.N), rapid.IntRange(1, 10).Draw(t, "steps")
		weights := make([]float64, m.N)
		for i := range weights {
			weights[i] = 1
		}
		s, e, p := NewSpan(m.N), exact.NewEchelon(m.N, f), NewPreciseSpan(weights)
		factor := NewFactor(m)
		factor.Residues, factor.Entries = residues, entries
		once := []Factor{factor}
		for range steps {
			s, e = s.Pullback(once, starts), PullbackExactly(e, Stretch{once, starts})
			p = p.Pullback(e.Rank(), Stretch{once, starts})
		}
		want, profile := exact.Krylov(m, residues, f, starts, steps, nil)
		if e.Rank() != want.Rank() || !slices.Equal(e.Units(), want.Units()) {
			t.Fatalf("rank %d, want %d", e.Rank(), want.Rank())
		}
		all := slices.Repeat([]Stretch{{once, starts}}, steps)
		if together := PullbackExactly(exact.NewEchelon(m.N, f), all...); together.Rank() != e.Rank() || !slices.Equal(together.Units(), e.Units()) {
			t.Fatalf("rank %d of all stretches together, want %d", together.Rank(), e.Rank())
		}
		together := NewPreciseSpan(weights).Pullback(e.Rank(), all...)
		precise := PreciseKrylov(m, entries, weights, starts, nil, profile)
		for i := range m.N {
			if math.Abs(p.Product(i, i)-together.Product(i, i)) > 1e-12 && min(p.Faintest(), together.Faintest()) > 1e-40 {
				t.Fatalf("entry %d is %v, of all stretches together %v", i, p.Product(i, i), together.Product(i, i))
			}
			if math.Abs(p.Product(i, i)-precise.Product(i, i)) > 1e-12 && min(p.Faintest(), precise.Faintest()) > 1e-12 {
				t.Fatalf("entry %d is %v, want %v", i, p.Product(i, i), precise.Product(i, i))
			}
			if isClear(s) && math.Abs(s.Product(i, i)-p.Product(i, i)) > 1e-9 {
				t.Fatalf("entry %d is %v, in 72 digits %v", i, s.Product(i, i), p.Product(i, i))
			}
		}
	})
}

func BenchmarkKrylov(b *testing.B) {
	m := sparsetest.CycleWalk(4096)
	for b.Loop() {
		k := NewKrylov(m, true, []int{0, 100, 200, 300, 400, 500, 600, 700})
		k.Grow(60)
	}
}
