package walkpublished

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/internal/chebyshev"
	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/sparse"
)

// simpleSums adds W^t/t by dense products.
func simpleSums(w *sparse.Matrix, steps int) []float64 {
	n := w.N
	sum, power, next := make([]float64, n*n), make([]float64, n*n), make([]float64, n*n)
	for i := range n {
		power[i*n+i] = 1
	}
	for t := 1; t <= steps; t++ {
		w.MulBlock(next, power, n)
		power, next = next, power
		for k, v := range power {
			sum[k] += v / float64(t)
		}
	}
	return sum
}

func mustWalk(t testing.TB, w *sparse.Matrix, steps int, form Form) *Accountant {
	t.Helper()
	walk, err := New(w, steps, form)
	if err != nil {
		t.Fatal(err)
	}
	return walk
}

func mustSums(t testing.TB, walk *Accountant) *Sums {
	t.Helper()
	s, err := walk.Sums(2)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

type goldenWalk struct {
	N       int
	Edges   [][2]int
	Weights string
	Runs    []struct {
		T    int
		Sums [][]float64 `json:"sum_Wt_over_t"`
	}
	Log [][]float64 `json:"minus_log_I_minus_W_plus_J"`
}

// The golden values carry twelve decimals.
const goldenDigit = 0.6e-12

func compareGolden(t *testing.T, what string, got []float64, want [][]float64, shift float64) {
	t.Helper()
	for u, row := range want {
		for v, x := range row {
			if d := math.Abs(got[u*len(want)+v] - shift - x); !(d <= goldenDigit+1e-10*math.Abs(x)) {
				t.Errorf("%s (%d, %d): %.15g, want %.12g", what, u, v, got[u*len(want)+v]-shift, x)
				return
			}
		}
	}
}

// goldenWalks are all cases of all files.
func goldenWalks(t testing.TB) map[string]goldenWalk {
	all := map[string]goldenWalk{}
	for _, file := range testdata.Goldens[map[string]goldenWalk](t, "walk_published") {
		maps.Copy(all, file)
	}
	return all
}

func TestEquationD10Golden(t *testing.T) {
	for name, g := range goldenWalks(t) {
		w := hamiltonOf(g.N, g.Edges)
		for _, run := range g.Runs {
			walk := mustWalk(t, w, run.T, Exact)
			compareGolden(t, name, mustSums(t, walk).Values, run.Sums, 0)
			row := make([]float64, g.N)
			for u := range g.N {
				if err := walk.Row(row, u, 2); err != nil {
					t.Fatal(err)
				}
				compareRow(t, name, u, row, run.Sums[u])
			}
		}
	}
}

func compareRow(t *testing.T, name string, u int, got, want []float64) {
	t.Helper()
	for v, x := range want {
		if d := math.Abs(got[v] - x); !(d <= goldenDigit+1e-10*math.Abs(x)) {
			t.Errorf("%s row %d: [%d] is %.15g, want %.12g", name, u, v, got[v], x)
			return
		}
	}
}

func TestEquationD11Golden(t *testing.T) {
	for name, g := range goldenWalks(t) {
		walk := mustWalk(t, hamiltonOf(g.N, g.Edges), 1000, ClosedForm)
		compareGolden(t, name, mustSums(t, walk).Values, g.Log, math.Log(1000)/float64(g.N))
	}
}

func TestEquationD8PowersSeriesAndEigenvectorsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawConnected(t, 40)
		steps := rapid.IntRange(1, 600).Draw(t, "steps")
		walk, err := New(w, steps, Exact)
		if err != nil {
			t.Fatal(err)
		}
		want, dense := simpleSums(w, steps), make([]float64, w.N*w.N)
		if !chebyshev.DenseGapFunction(dense, w, walk.value) {
			t.Fatal("no eigendecomposition")
		}
		s, err := walk.Sums(1)
		if err != nil {
			t.Fatal(err)
		}
		closeTo(t, "eigenvectors", dense, want)
		closeTo(t, "chosen method", s.Values, want)
		series, ok := chebyshev.GapFunction(w, walk.value, 1)
		if !ok {
			t.Fatal("no series")
		}
		series.Matrix(dense, 1)
		closeTo(t, "series", dense, want)
	})
}

func closeTo(t *rapid.T, what string, got, want []float64) {
	for k := range want {
		if d := math.Abs(got[k] - want[k]); !(d <= 1e-11) {
			t.Fatalf("%s: entry %d is %g, want %g", what, k, got[k], want[k])
		}
	}
}

func TestEquationD8WithoutSymmetry(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 20).Draw(t, "n")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 4))
		dense := make([]float64, n*n)
		for i := range n {
			row, sum := dense[i*n:(i+1)*n], 0.0
			for j := range row {
				row[j] = max(0, rng.Float64()-0.5)
				sum += row[j]
			}
			if sum == 0 {
				row[i], sum = 1, 1
			}
			for j := range row {
				row[j] /= sum
			}
		}
		w := sparseOf(n, dense)
		walk, err := New(w, 50, Exact)
		if err != nil {
			t.Fatal(err)
		}
		s, err := walk.Sums(2)
		if err != nil {
			t.Fatal(err)
		}
		closeTo(t, "powers", s.Values, simpleSums(w, 50))
		row, u := make([]float64, n), rng.IntN(n)
		if err := walk.Row(row, u, 2); err != nil {
			t.Fatal(err)
		}
		closeTo(t, "row", row, s.Values[u*n:(u+1)*n])
	})
}

func TestTheCompleteGraphHasTheHarmonicNumberEverywhere(t *testing.T) {
	const n, steps = 50, 20000
	w := hamiltonOf(n, edgesOf(n, func(i, j int) bool { return true }))
	walk := mustWalk(t, w, steps, Exact)
	if !walk.complete {
		t.Error("not recognised")
	}
	want := 0.0
	for k := steps; k > 0; k-- {
		want += 1 / float64(k)
	}
	for _, v := range mustSums(t, walk).Values {
		if math.Abs(v*n/want-1) > 1e-13 {
			t.Fatalf("%g, want %g", v, want/n)
		}
	}
}

// A bipartite ring without laziness is periodic, as are two nodes that swap;
// two rings are not connected, nor are nodes that keep the token.
// The sum is finite on both.
func TestTheSumNeedsNeitherAperiodicNorConnected(t *testing.T) {
	dense := make([]float64, 64)
	for i := range 8 {
		dense[i*8+(i+1)%8], dense[i*8+(i+7)%8] = 0.5, 0.5
	}
	periodic := sparseOf(8, dense)
	apart := hamiltonOf(12, edgesOf(12, func(i, j int) bool { return (i < 6) == (j < 6) && (i-j == 1 || i-j == 5) }))
	swap, stay := sparseOf(2, []float64{0, 1, 1, 0}), sparseOf(2, []float64{1, 0, 0, 1})
	for _, w := range []*sparse.Matrix{periodic, apart, swap, stay} {
		got, want := mustSums(t, mustWalk(t, w, 3000, Exact)).Values, simpleSums(w, 3000)
		for k := range want {
			if math.Abs(got[k]-want[k]) > 1e-11 {
				t.Fatalf("entry %d is %g, want %g", k, got[k], want[k])
			}
		}
	}
}

func TestPartialLogEqualsItsSeries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gap := rapid.Float64Range(0, 2).Draw(t, "gap")
		steps := rapid.IntRange(1, 3000).Draw(t, "steps")
		want, power := 0.0, 1.0
		for k := 1; k <= steps; k++ {
			power *= 1 - gap
			want += power / float64(k)
		}
		if got := partialLog(gap, steps); math.Abs(got-want) > 1e-12 {
			t.Fatalf("gap %g, %d steps: %g, want %g", gap, steps, got, want)
		}
	})
}

func TestAWalkRefusesWhatIsNoWalk(t *testing.T) {
	asymmetric := sparseOf(2, []float64{0.5, 0.5, 0.25, 0.75})
	cases := map[string]struct {
		w     *sparse.Matrix
		steps int
		form  Form
	}{
		"no steps":               {ringOf(5), 0, Exact},
		"one node":               {sparseOf(1, []float64{1}), 5, Exact},
		"rows that sum to 2":     {sparseOf(2, []float64{1, 1, 1, 1}), 5, Exact},
		"a negative probability": {sparseOf(2, []float64{1.5, -0.5, -0.5, 1.5}), 5, Exact},
		"not a number":           {sparseOf(2, []float64{math.NaN(), 1, 1, 0}), 5, Exact},
		"closed, not symmetric":  {asymmetric, 5, ClosedForm},
	}
	for name, c := range cases {
		if _, err := New(c.w, c.steps, c.form); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
	walk := mustWalk(t, asymmetric, 1<<45, Exact)
	if _, err := walk.plan(2, 1); err == nil {
		t.Error("2^45 powers were accepted")
	}
}

func TestRowsEqualTheMatrixOnABiggerGraph(t *testing.T) {
	w := geometricOf(400, 0.11)
	walk := mustWalk(t, w, 20000, Exact)
	s := mustSums(t, walk)
	row := make([]float64, 400)
	for _, u := range []int{0, 123, 399} {
		if err := walk.Row(row, u, 2); err != nil {
			t.Fatal(err)
		}
		for v, x := range row {
			if math.Abs(x-s.At(u, v)) > 1e-12 {
				t.Fatalf("(%d, %d): %g in the row, %g in the matrix", u, v, x, s.At(u, v))
			}
		}
	}
	one, err := walk.Sums(1)
	if err != nil || !slices.Equal(one.Values, s.Values) {
		t.Errorf("the number of workers shows (%v)", err)
	}
}

// Equation D.8 asks for no symmetry: on a star of four with uniform weights the hub sends to each leaf a third of
// the time, in odd turns, and leaves always to the hub.
func TestEquationD8NeedsNoSymmetry(t *testing.T) {
	third := 1. / 3
	s := mustSums(t, mustWalk(t, sparseOf(4, []float64{0, third, third, third, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}), 6, Exact))
	odd, even := 1+1./3+1./5, 1./2+1./4+1./6
	for _, c := range []struct {
		u, v int
		want float64
	}{{0, 1, odd / 3}, {1, 0, odd}, {1, 2, even / 3}, {3, 3, even / 3}} {
		if got := s.At(c.u, c.v); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("(%d, %d): %v, want %v", c.u, c.v, got, c.want)
		}
	}
}
