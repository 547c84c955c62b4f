package walkpublished

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/hearsay-dp/hearsay/internal/draws"
	"github.com/hearsay-dp/hearsay/sparse"
)

// lazyStarOf is the matrix of a Star, lazyRingOf that of a Ring.
func lazyStarOf(n int, selfLoop float64) *sparse.Matrix {
	dense := make([]float64, n*n)
	for i := range n {
		dense[i*n+i] = selfLoop
		if i > 0 {
			dense[i*n] = 1 - selfLoop
			dense[i] = (1 - selfLoop) / float64(n-1)
		}
	}
	return sparseOf(n, dense)
}

func lazyRingOf(n int, selfLoop float64) *sparse.Matrix {
	dense := make([]float64, n*n)
	for i := range n {
		dense[i*n+i] = selfLoop
		dense[i*n+(i+1)%n] += (1 - selfLoop) / 2
		dense[i*n+(i+n-1)%n] += (1 - selfLoop) / 2
	}
	return sparseOf(n, dense)
}

func compareSums(t *rapid.T, n int, want []float64, sum func(u, v int) float64) {
	for u := range n {
		for v := range n {
			if got := sum(u, v); u != v && math.Abs(got-want[u*n+v]) > 1e-11 {
				t.Fatalf("(%d, %d): %.15g, powers give %.15g", u, v, got, want[u*n+v])
			}
		}
	}
}

func TestTheorem711StarSumEqualsPowers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Star{rapid.IntRange(2, 12).Draw(t, "n"), rapid.IntRange(1, 200).Draw(t, "T"), rapid.Float64Range(0, 1).Draw(t, "kappa")}
		compareSums(t, s.Nodes, simpleSums(lazyStarOf(s.Nodes, s.SelfLoop), s.Steps), s.Sum)
	})
}

func TestTheorem712RingSumEqualsPowers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := Ring{rapid.IntRange(3, 15).Draw(t, "n"), rapid.IntRange(1, 200).Draw(t, "T"), rapid.Float64Range(0, 1).Draw(t, "kappa")}
		compareSums(t, r.Nodes, simpleSums(lazyRingOf(r.Nodes, r.SelfLoop), r.Steps), r.Sum)
	})
}

func TestTheorem712ClosedFormEqualsEquationD11(t *testing.T) {
	for _, n := range []int{3, 4, 9, 20} {
		r := Ring{n, 500, 1.0 / 3}
		want := mustSums(t, mustWalk(t, lazyRingOf(n, 1.0/3), 500, ClosedForm))
		for u := range n {
			for v := range n {
				if got := r.ClosedForm(u, v); math.Abs(got-want.At(u, v)) > 1e-9 {
					t.Errorf("n=%d (%d, %d): %g, want %g", n, u, v, got, want.At(u, v))
				}
			}
		}
	}
}

// The printed formula is said to bound S for any number of steps.
func TestTheorem711AsPrintedIsNotABound(t *testing.T) {
	s := Star{Nodes: 10, Steps: 1000, SelfLoop: 1e-6}
	for _, pair := range []struct {
		u, v  int
		least float64 // how many times too small
	}{{1, 2, 25}, {1, 0, 30}, {0, 1, 3}} {
		if ratio := s.Sum(pair.u, pair.v) / s.Published(pair.u, pair.v); ratio < pair.least {
			t.Errorf("(%d, %d): S is %g times the printed bound", pair.u, pair.v, ratio)
		}
	}
	// The first two steps are enough.
	two := Star{Nodes: 10, Steps: 2}
	if s, printed := two.Sum(1, 2), two.Published(1, 2); math.Abs(s-1.0/18) > 1e-15 || printed > 0.0131 {
		t.Errorf("S_2 between leaves is %g, printed %g", s, printed)
	}
}

func TestTheorem712AsPrintedIsNotS(t *testing.T) {
	r := Ring{Nodes: 20, Steps: 1000, SelfLoop: 1.0 / 3}
	if a, b := r.PublishedThirds(0, 1), r.PublishedThirds(5, 6); math.Abs(a-b) < 0.1 {
		t.Errorf("neighbours have %g and %g: turning the ring changes nothing", a, b)
	}
	below := 0
	for u := range r.Nodes {
		for v := range u {
			if r.PublishedThirds(u, v) < r.Sum(u, v) {
				below++
			}
		}
	}
	if pairs := r.Nodes * (r.Nodes - 1) / 2; below < pairs/4 {
		t.Errorf("only %d of %d pairs are below S", below, pairs)
	}
	one := Ring{Nodes: 20, Steps: 1, SelfLoop: 0.1}
	if s, printed := one.Sum(0, 1), one.PublishedLazy(0, 1); math.Abs(s-0.45) > 1e-12 || math.Abs(printed-0.05) > 1e-12 {
		t.Errorf("one step between neighbours: S %g, printed %g", s, printed)
	}
	even := Ring{Nodes: 20, Steps: 2, SelfLoop: 0.1}
	if s, printed := even.Sum(0, 2), even.PublishedLazy(0, 2); s < 0.1 || printed > 1e-12 {
		t.Errorf("two steps to the next but one: S %g, printed %g", s, printed)
	}
}

func TestPropositionD11(t *testing.T) {
	for _, n := range []int{2, 3, 10, 500} {
		c := Complete{Nodes: n, Steps: 700}
		walk := mustSums(t, mustWalk(t, completeOf(n), c.Steps, Exact))
		if got := c.Sum(); math.Abs(got/walk.At(0, n-1)-1) > 1e-12 {
			t.Errorf("n=%d: %g, the walk has %g", n, got, walk.At(0, n-1))
		}
		printed, hitting, p := 0.0, 0.0, 1/float64(n)
		for turn := 1; turn < 60*n; turn++ {
			x := float64(turn)
			printed += p * math.Pow(1-p, x) / x
			hitting += p * math.Pow(1-p, x-1) / x
		}
		if math.Abs(c.Printed()/printed-1) > 1e-9 || math.Abs(c.Hitting()/hitting-1) > 1e-9 {
			t.Errorf("n=%d: %g and %g, the series give %g and %g", n, c.Printed(), c.Hitting(), printed, hitting)
		}
	}
}

func completeOf(n int) *sparse.Matrix {
	dense := make([]float64, n*n)
	each(dense, 1/float64(n))
	return sparseOf(n, dense)
}
