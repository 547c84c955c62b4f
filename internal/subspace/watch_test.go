package subspace

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/drawntest"
	"github.com/hearsay-dp/hearsay/internal/sparsetest"
	"github.com/hearsay-dp/hearsay/internal/tile"
	"github.com/hearsay-dp/hearsay/sparse"
	"pgregory.net/rapid"
)

// The length of a projection is measured whatever it is and however few directions it is on.
func TestWatchMeasuresProjections(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 5))
		n, rank := 80, rapid.IntRange(1, 70).Draw(t, "rank")
		s := NewSpan(n)
		for range rank {
			s.Insert(sparsetest.Block(rng, n))
		}
		s.watch()
		length := math.Exp2(float64(rapid.IntRange(-40, 0).Draw(t, "length")))
		along, outside := make([]float64, n), sparsetest.Block(rng, n)
		for k := range rapid.IntRange(1, rank).Draw(t, "directions") {
			sparse.Axpy(along, rng.NormFloat64(), s.Vector(k))
		}
		inside := make([]float64, n)
		s.Project(inside, outside)
		sparse.Axpy(outside, -1, inside)
		s.Project(inside, outside) // of what rounding left
		sparse.Axpy(outside, -1, inside)
		panel := make([]float64, n*tile.Width)
		size := math.Sqrt(sparse.Dot(along, along))
		for i := range n {
			panel[i*tile.Width] = length*along[i]/size + outside[i]
		}
		if got := s.watched.loss(panel, 1); got < length/10-1e-13 || got > 3*length+1e-13 {
			t.Fatalf("a projection of length %g on %d directions is measured as %g", length, rank, got)
		}
		if s.watched.most() < length/10-1e-13 || s.watched.most() != 0 {
			t.Fatal("the largest is not kept until it is asked for")
		}
	})
}

// Where few steps are made orthogonal to all, the basis is as orthogonal as it is said to be, and what
// the matrix makes of it but for the last step stays in the space.
func TestKrylovIsOrthogonalEnough(t *testing.T) {
	tried, left := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		m := sparsetest.DrawStrip(t, 300)
		starts := sparsetest.DrawIndices(t, m.N)
		starts = starts[:min(len(starts), rapid.IntRange(1, 20).Draw(t, "few"))]
		k := NewKrylov(m, true, starts)
		k.Grow(rapid.IntRange(1, 60).Draw(t, "steps"))
		off := orthonormalUpTo(k.Span)
		if off > 10*tolerated { // what is measured is a tenth at least
			t.Fatalf("two of %d directions have the product %g", k.Span.Rank(), off)
		}
		tried++
		if off > 1e-14 {
			left++
		}
		image, inside := make([]float64, m.N), make([]float64, m.N)
		for j := range k.last {
			m.MulBlock(image, k.Span.Vector(j), 1)
			k.Span.Project(inside, image)
			sparse.Axpy(image, -1, inside)
			if out := math.Sqrt(sparse.Dot(image, image)); out > 10*tolerated {
				t.Fatalf("of %d directions, the image of number %d sticks out by %g", k.Span.Rank(), j, out)
			}
		}
	})
	drawntest.Often(t, "something is left as it was", left, tried, 0.11)
}

// orthonormalUpTo is the largest entry of Q'Q - 1.
func orthonormalUpTo(s *Span) float64 {
	most := 0.0
	for i := range s.Rank() {
		for j := range i + 1 {
			want := 0.0
			if i == j {
				want = 1
			}
			most = max(most, math.Abs(sparse.Dot(s.Vector(i), s.Vector(j))-want))
		}
	}
	return most
}
