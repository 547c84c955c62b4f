package subspace

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/sparsetest"
	"github.com/hearsay-dp/hearsay/sparse"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// drawVectors draws vectors in R^n that span less than they could, of very
// different lengths, some 0.
func drawVectors(t *rapid.T) (n, rank int, vectors [][]float64) {
	n = rapid.IntRange(1, 60).Draw(t, "n")
	count := rapid.IntRange(0, 70).Draw(t, "count")
	inner := rapid.IntRange(0, n).Draw(t, "inner")
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 9))
	base := sparsetest.Block(rng, inner*n)
	for range count {
		x := make([]float64, n)
		for k := range inner {
			sparse.Axpy(x, rng.NormFloat64(), base[k*n:(k+1)*n])
		}
		floats.Scale(math.Exp2(float64(rng.IntN(400)-200)), x)
		if rng.IntN(10) == 0 {
			clear(x)
		}
		vectors = append(vectors, x)
	}
	return n, inner, vectors
}

// projectorBySVD is the projector on the span of vectors by the singular
// value decomposition of what they are, scaled to length 1.
func projectorBySVD(n int, vectors [][]float64) (*mat.Dense, int) {
	p := mat.NewDense(n, n, nil)
	var rows []float64
	for _, x := range vectors {
		if length := floats.Norm(x, 2); length > 0 {
			for _, v := range x {
				rows = append(rows, v/length)
			}
		}
	}
	if len(rows) == 0 {
		return p, 0
	}
	var svd mat.SVD
	svd.Factorize(mat.NewDense(len(rows)/n, n, rows), mat.SVDThin)
	rank := 0
	for _, s := range svd.Values(nil) {
		if s > 1e-11 {
			rank++
		}
	}
	var v mat.Dense
	svd.VTo(&v)
	if rank > 0 {
		basis := v.Slice(0, n, 0, rank)
		p.Mul(basis, basis.T())
	}
	return p, rank
}

func TestSpanEqualsTheSingularValueDecomposition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, _, vectors := drawVectors(t)
		s := NewSpan(n)
		added := s.Insert(vectors...)
		want, rank := projectorBySVD(n, vectors)
		if s.Rank() != rank || added != rank {
			t.Fatalf("rank %d, added %d, want %d", s.Rank(), added, rank)
		}
		energy := make([]float64, n)
		s.Energy(energy)
		for i := range n {
			if math.Abs(energy[i]-want.At(i, i)) > 1e-8 {
				t.Fatalf("energy %d is %v, want %v", i, energy[i], want.At(i, i))
			}
			for j := range n {
				if math.Abs(s.Product(i, j)-want.At(i, j)) > 1e-8 {
					t.Fatalf("product (%d, %d) is %v, want %v", i, j, s.Product(i, j), want.At(i, j))
				}
			}
		}
	})
}

func TestSpanBasisIsOrthonormalToRounding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, _, vectors := drawVectors(t)
		s := NewSpan(n)
		for len(vectors) > 0 { // in portions
			count := min(len(vectors), 5)
			s.Insert(vectors[:count]...)
			vectors = vectors[count:]
		}
		for i := range s.Rank() {
			for j := range i + 1 {
				want := 0.0
				if i == j {
					want = 1
				}
				if d := math.Abs(sparse.Dot(s.Vector(i), s.Vector(j)) - want); d > 1e-14*float64(n) {
					t.Fatalf("vectors %d and %d: off by %g", i, j, d)
				}
			}
		}
	})
}

func TestSpanProject(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, _, vectors := drawVectors(t)
		s := NewSpan(n)
		s.Insert(vectors...)
		x := sparsetest.Block(rand.New(rand.NewPCG(1, 2)), n)
		once, twice := make([]float64, n), make([]float64, n)
		s.Project(once, x)
		s.Project(twice, once)
		for i := range n {
			want := 0.0
			for j := range n {
				want += s.Product(i, j) * x[j]
			}
			if math.Abs(once[i]-want) > 1e-10 || math.Abs(once[i]-twice[i]) > 1e-10 {
				t.Fatalf("entry %d is %v, then %v, want %v", i, once[i], twice[i], want)
			}
		}
	})
}

// A direction down to 1e-11 of a vector is found, with the digits it has left.
func TestSpanFindsFaintDirections(t *testing.T) {
	for _, faint := range []float64{1e-2, 1e-5, 1e-8, 1e-11} {
		s := NewSpan(40)
		x, y := make([]float64, 40), make([]float64, 40)
		x[3], y[3], y[7] = 1, 1, faint
		s.Insert(x, y)
		if s.Rank() != 2 || math.Abs(s.Product(7, 7)-1) > 1e-15/faint {
			t.Errorf("%g: rank %d, energy %v", faint, s.Rank(), s.Product(7, 7))
		}
		if m := s.Margin(); math.Abs(m.Faintest/faint-1) > 1e-3 || m.Brightest != 0 {
			t.Errorf("%g: margin %+v", faint, m)
		}
	}
	s := NewSpan(2)
	s.Insert([]float64{1, 1}, []float64{1, 1 + 1e-13})
	if m := s.Margin(); s.Rank() != 1 || !(m.Brightest > 1e-14 && m.Brightest < 1e-12) {
		t.Errorf("rank %d, margin %+v", s.Rank(), m)
	}
}

func TestSpanRefusesWhatIsNoVector(t *testing.T) {
	for _, x := range [][]float64{{1}, {1, math.NaN()}, {math.Inf(1), 0}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%v was taken", x)
				}
			}()
			NewSpan(2).Insert(x)
		}()
	}
}

func BenchmarkSpanInsert(b *testing.B) {
	const n, count = 2048, 512
	rng := rand.New(rand.NewPCG(1, 2))
	var vectors [][]float64
	for range count {
		vectors = append(vectors, sparsetest.Block(rng, n))
	}
	for b.Loop() {
		NewSpan(n).Insert(vectors...)
	}
	b.ReportMetric(float64(b.N)*4*n*count*count/b.Elapsed().Seconds()/1e9, "Gflop/s")
}
