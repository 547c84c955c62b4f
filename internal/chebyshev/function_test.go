package chebyshev

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/sparsetest"
	"github.com/hearsay-dp/hearsay/sparse"
	"pgregory.net/rapid"

	_ "github.com/hearsay-dp/hearsay/internal/draws"
	"github.com/hearsay-dp/hearsay/internal/testdata"
)

// hamilton gives each edge 1/(1+max degree) and the rest to the diagonal.
func hamilton(n int, adjacent func(i, j int) bool) *sparse.Matrix {
	neighbours := make([][]int, n)
	for i := range n {
		for j := range n {
			if i != j && adjacent(i, j) {
				neighbours[i] = append(neighbours[i], j)
			}
		}
	}
	m := &sparse.Matrix{N: n, Offsets: make([]int, n+1)}
	for i, row := range neighbours {
		rest := 1.0
		for _, j := range row {
			rest -= 1 / float64(1+max(len(row), len(neighbours[j])))
		}
		at, _ := slices.BinarySearch(row, i)
		for _, j := range slices.Insert(slices.Clone(row), at, i) {
			v := rest
			if j != i {
				v = 1 / float64(1+max(len(row), len(neighbours[j])))
			}
			m.Columns, m.Values = append(m.Columns, int32(j)), append(m.Values, v)
		}
		m.Offsets[i+1] = len(m.Columns)
	}
	return m
}

func hypercube(dimension int) *sparse.Matrix {
	return hamilton(1<<dimension, func(i, j int) bool { d := i ^ j; return d&(d-1) == 0 })
}

func ring(n int) *sparse.Matrix {
	return hamilton(n, func(i, j int) bool { return (i+1)%n == j || (j+1)%n == i })
}

func grid(rows, cols int) *sparse.Matrix {
	return hamilton(rows*cols, func(i, j int) bool {
		return abs(i/cols-j/cols)+abs(i%cols-j%cols) == 1
	})
}

func abs(x int) int { return max(x, -x) }

func geometric(n int, r float64, seed uint64) *sparse.Matrix {
	rng := rand.New(rand.NewPCG(seed, 0))
	x, y := make([]float64, n), make([]float64, n)
	for i := range n {
		x[i], y[i] = rng.Float64(), rng.Float64()
	}
	return hamilton(n, func(i, j int) bool { return math.Hypot(x[i]-x[j], y[i]-y[j]) < r })
}

func randomGraph(n int, p float64, seed uint64) *sparse.Matrix {
	rng := rand.New(rand.NewPCG(seed, 1))
	edges := make([]bool, n*n)
	for i := range n {
		for j := range i {
			edges[i*n+j] = rng.Float64() < p
			edges[j*n+i] = edges[i*n+j]
		}
	}
	return hamilton(n, func(i, j int) bool { return edges[i*n+j] })
}

// walkLike is log(1/gap) cut off where a walk of 20,000 steps cuts it off.
func walkLike(gap float64) float64 { return -math.Log(gap + 5e-5) }

func TestTheSeriesEqualsTheDenseEigendecomposition(t *testing.T) {
	testdata.Sequential(t)
	graphs := map[string]*sparse.Matrix{
		"hypercube:5": hypercube(5), "ring:60": ring(60), "grid:9x7": grid(9, 7),
		"geometric": geometric(150, 0.16, 3), "er": randomGraph(120, 0.05, 5),
		"complete": hamilton(20, func(i, j int) bool { return true }),
		"pair":     hamilton(2, func(i, j int) bool { return true }),
	}
	for name, m := range graphs {
		want, got := make([]float64, m.N*m.N), make([]float64, m.N*m.N)
		if !DenseGapFunction(want, m, walkLike) {
			t.Fatalf("%s: no eigendecomposition", name)
		}
		for _, columns := range []int{1, 1 << 40} { // the second always deflates
			fn, ok := GapFunction(m, walkLike, columns)
			if !ok {
				t.Fatalf("%s: no series", name)
			}
			fn.Matrix(got, 2)
			if d := furthest(got, want); d > 2e-12 {
				t.Errorf("%s: degree %d, rank %d: off by %g", name, fn.Degree(), fn.rank, d)
			}
		}
	}
}

func furthest(a, b []float64) float64 {
	worst := 0.0
	for k := range a {
		worst = math.Max(worst, math.Abs(a[k]-b[k]))
	}
	return worst
}

func TestPolynomialEqualsRepeatedProducts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := sparsetest.Draw(t)
		coefficients := rapid.SliceOfN(rapid.Float64Range(-2, 2), 1, 6).Draw(t, "coefficients")
		want := make([]float64, m.N*m.N)
		power, next := make([]float64, m.N*m.N), make([]float64, m.N*m.N)
		for i := range m.N {
			power[i*m.N+i] = 1
		}
		size := 1.0
		for _, c := range coefficients {
			sparse.Axpy(want, c, power)
			m.MulBlock(next, power, m.N)
			power, next = next, power
			size += norm(power)
		}
		got := make([]float64, m.N*m.N)
		Polynomial(m, coefficients).Matrix(got, 1)
		if d := furthest(got, want); d > 1e-13*size {
			t.Fatalf("off by %g", d)
		}
	})
}

func TestTheMatrixDoesNotDependOnWorkers(t *testing.T) {
	m := geometric(200, 0.12, 9)
	fn, _ := GapFunction(m, walkLike, m.N)
	one, many := make([]float64, m.N*m.N), make([]float64, m.N*m.N)
	fn.Matrix(one, 1)
	fn.Matrix(many, 7)
	if !slices.Equal(one, many) {
		t.Error("7 workers give another matrix than 1")
	}
	column, scratch := make([]float64, m.N), make([]float64, m.N)
	for _, u := range []int{0, 17, 199} {
		fn.Columns(column, scratch, u, 1)
		for i := range m.N {
			if math.Abs(column[i]-one[i*m.N+u]) > 1e-15 {
				t.Fatalf("column %d alone differs at row %d", u, i)
			}
		}
	}
}

func TestEveryComponentHasItsConstantVector(t *testing.T) {
	two := hamilton(20, func(i, j int) bool { return (i < 10) == (j < 10) })
	got := make([]float64, 400)
	fn, ok := GapFunction(two, func(gap float64) float64 {
		if gap == 0 {
			return 7
		}
		return -math.Log(gap)
	}, 20)
	if !ok {
		t.Fatal("no series")
	}
	fn.Matrix(got, 1)
	for i := range 20 {
		for j := range 20 {
			want := 0.0
			if (i < 10) == (j < 10) {
				want = 0.7
			}
			if math.Abs(got[i*20+j]-want) > 1e-14 {
				t.Fatalf("entry (%d, %d) is %g, not %g", i, j, got[i*20+j], want)
			}
		}
	}
}

func TestASingularityInsideTheSpectrumIsRefused(t *testing.T) {
	testdata.Sequential(t)
	f := func(gap float64) float64 { return 1 / (gap - 0.4) }
	if fn, ok := GapFunction(grid(30, 30), f, 1); ok {
		t.Errorf("accepted with degree %d, rank %d", fn.Degree(), fn.rank)
	}
}

// QL steps that overflow do not converge, which is no reason to end the
// program: nothing more is known of the spectrum then.
func TestAnEigenproblemThatDoesNotConverge(t *testing.T) {
	big := 9.222090557280138e+178
	if _, _, ok := tridiagonalPairs([]float64{big, 0, 0, big, 0}, []float64{5.8e-46, 1e-74, 8e+175, big}, unit(5)); ok {
		t.Skip("this one converges here")
	}
}

func BenchmarkMatrix(b *testing.B) {
	graphs := []struct {
		name string
		m    *sparse.Matrix
	}{
		{"hypercube11", hypercube(11)}, {"geometric0.07", geometric(2048, 0.07, 1)},
		{"grid45x45", grid(45, 45)}, {"ring2048", ring(2048)}, {"er0.0045", randomGraph(2048, 0.0045, 1)},
	}
	for _, g := range graphs {
		dst := make([]float64, g.m.N*g.m.N)
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/workers=%d", g.name, workers), func(b *testing.B) {
				var fn *Function
				for b.Loop() {
					fn, _ = GapFunction(g.m, walkLike, g.m.N)
					fn.Matrix(dst, workers)
				}
				b.ReportMetric(float64(fn.Degree()), "degree")
				b.ReportMetric(float64(fn.rank), "rank")
				b.ReportMetric(float64(len(g.m.Values)), "entries")
			})
		}
		b.Run(g.name+"/prepare", func(b *testing.B) {
			for b.Loop() {
				GapFunction(g.m, walkLike, g.m.N)
			}
		})
	}
}
