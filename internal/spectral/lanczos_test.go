package spectral

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	_ "github.com/hearsay-dp/hearsay/internal/draws"
)

// symmetric is a dense operator.
type symmetric struct{ *mat.SymDense }

func (s symmetric) Len() int { return s.SymmetricDim() }

func (s symmetric) Mul(dst, x []float64) {
	mat.NewVecDense(len(dst), dst).MulVec(s.SymDense, mat.NewVecDense(len(x), x))
}

func randomSymmetric(n int, r *rand.Rand) symmetric {
	m := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			m.SetSym(i, j, r.NormFloat64())
		}
	}
	return symmetric{m}
}

func randomStart(n int, r *rand.Rand) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	return x
}

func bothKnown(low, high Ritz) bool { return max(low.Residual, high.Residual) < 1e-11 }

func TestEndsAgreeWithDense(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "n")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		a := randomSymmetric(n, r)
		var eigen mat.EigenSym
		eigen.Factorize(a.SymDense, true)
		values := eigen.Values(nil)
		norm := max(-values[0], values[n-1])
		ends := Lanczos{A: a, Start: randomStart(n, r), Norm: norm, MaxSteps: 4*n + 20, Enough: bothKnown}.Ends()
		for _, end := range []struct {
			ritz Ritz
			want float64
		}{{ends.Low, values[0]}, {ends.High, values[n-1]}} {
			if math.Abs(end.ritz.Value-end.want) > 1e-10 {
				t.Fatalf("an end at %+v after %d steps, want %g", end.ritz, ends.Steps, end.want)
			}
			x, ritz := ends.Vector(end.ritz)
			if math.Abs(ritz.Value-end.want) > 1e-10 || ritz.Residual > 1e-6 || math.Abs(floats.Norm(x, 2)-1) > 1e-14 {
				t.Fatalf("a vector of length %g with %+v, want %g", floats.Norm(x, 2), ritz, end.want)
			}
		}
	})
}

func TestEndsWithoutDeflated(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(4, 30).Draw(t, "n")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
		a := randomSymmetric(n, r)
		var eigen mat.EigenSym
		eigen.Factorize(a.SymDense, true)
		values := eigen.Values(nil)
		var vectors mat.Dense
		eigen.VectorsTo(&vectors)
		out := [][]float64{mat.Col(nil, n-1, &vectors), mat.Col(nil, 0, &vectors)}
		ends := Lanczos{A: a, Start: randomStart(n, r), Deflate: out, Norm: max(-values[0], values[n-1]),
			MaxSteps: 4*n + 20, Enough: bothKnown}.Ends()
		if math.Abs(ends.Low.Value-values[1]) > 1e-9 || math.Abs(ends.High.Value-values[n-2]) > 1e-9 {
			t.Fatalf("ends %g and %g, want %g and %g", ends.Low.Value, ends.High.Value, values[1], values[n-2])
		}
	})
}

// secondDifference is the matrix with 2 on the diagonal and -1 beside it. Its
// eigenvalues 2 - 2 cos(pi k/(n+1)) crowd at the ends: after more steps than
// it has eigenvalues and much orthogonality lost, the ends are still right.
type secondDifference int

func (n secondDifference) Len() int { return int(n) }

func (n secondDifference) Mul(dst, x []float64) {
	for i := range dst {
		dst[i] = 2 * x[i]
		if i > 0 {
			dst[i] -= x[i-1]
		}
		if i+1 < len(x) {
			dst[i] -= x[i+1]
		}
	}
}

func TestEndsSurviveLossOfOrthogonality(t *testing.T) {
	const n = 1000
	never := func(_, _ Ritz) bool { return false }
	start := randomStart(n, rand.New(rand.NewPCG(1, 3)))
	ends := Lanczos{A: secondDifference(n), Start: start, Norm: 4, MaxSteps: 3 * n, Enough: never}.Ends()
	want := 2 - 2*math.Cos(math.Pi/(n+1))
	if ends.Steps != 3*n || math.Abs(ends.Low.Value-want) > 1e-14 || math.Abs(ends.High.Value-(4-want)) > 1e-14 {
		t.Errorf("ends %.17g and %.17g after %d steps, want %.17g and %.17g", ends.Low.Value, ends.High.Value, ends.Steps, want, 4-want)
	}
}

// Before convergence the ends lie inside the spectrum, and within their
// residual of an eigenvalue.
func TestResidualsHoldBeforeConvergence(t *testing.T) {
	const n = 200
	stop := func(_, _ Ritz) bool { return true }
	ends := Lanczos{A: secondDifference(n), Start: randomStart(n, rand.New(rand.NewPCG(1, 4))), Norm: 4, MaxSteps: 20, Enough: stop}.Ends()
	values := make([]float64, n)
	for k := range values {
		values[k] = 2 - 2*math.Cos(math.Pi*float64(k+1)/(n+1))
	}
	for _, ritz := range []Ritz{ends.Low, ends.High} {
		nearest := math.Inf(1)
		for _, value := range values {
			nearest = min(nearest, math.Abs(value-ritz.Value))
		}
		_, exact := ends.Vector(ritz)
		if nearest > ritz.Residual || ritz.Residual < 1e-6 || math.Abs(exact.Residual-ritz.Residual) > 1e-10 {
			t.Errorf("%+v: nearest eigenvalue %g away, true residual %g", ritz, nearest, exact.Residual)
		}
	}
	if ends.Low.Value < values[0] || ends.High.Value > values[n-1] {
		t.Error("a Ritz value lies outside the spectrum")
	}
}

func TestTridiagonalEigenvalues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "n")
		entry := rapid.Map(rapid.IntRange(-300, 300), func(k int) float64 { return float64(k) / 100 })
		m := tridiagonal{
			rapid.SliceOfN(entry, n, n).Draw(t, "diagonal"),
			rapid.SliceOfN(entry, n-1, n-1).Draw(t, "off"),
		}
		dense := mat.NewSymDense(n, nil)
		for i, d := range m.diagonal {
			dense.SetSym(i, i, d)
		}
		for i, c := range m.off {
			dense.SetSym(i, i+1, c)
		}
		var eigen mat.EigenSym
		eigen.Factorize(dense, false)
		values := eigen.Values(nil)
		slices.Sort(values)
		for k, want := range values {
			if got := m.eigenvalue(k); math.Abs(got-want) > 1e-13 {
				t.Fatalf("eigenvalue %d is %g, want %g", k, got, want)
			}
		}
	})
}

// The shift may hit the pivots exactly: here the matrix less the shift is 0.
func TestEigenvectorWhereTheShiftedMatrixIsSingular(t *testing.T) {
	const value = 0.3
	m := tridiagonal{[]float64{value + 1e-15*(1+value), 0, 2}, []float64{0, 1}}
	x := m.eigenvector(value)
	if math.Abs(math.Abs(x[0])-1) > 1e-12 || math.Abs(x[1]) > 1e-12 {
		t.Errorf("eigenvector %v, want the first axis", x)
	}
}

// A start with no part outside the deflated vectors, exactly or up to rounding,
// is replaced; if they leave nothing, there is nothing to find.
func TestStartInsideTheDeflatedSpace(t *testing.T) {
	a := symmetric{mat.NewSymDense(3, []float64{1, 0, 0, 0, 2, 0, 0, 0, 3})}
	s := math.Sqrt(1.0 / 3)
	axes := [][]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
	for name, c := range map[string]struct {
		start   []float64
		deflate [][]float64
		high    float64
		steps   bool
	}{
		"no start":           {[]float64{0, 0, 0}, nil, 1, true},
		"start is deflated":  {[]float64{5, 0, 0}, axes[:1], 2, true},
		"start up to digits": {[]float64{1, 0.1 + 0.2 - 0.3, 0}, axes[:1], 2, true},
		"nothing is left":    {[]float64{s, s, s}, axes, 0, false},
	} {
		ends := Lanczos{A: a, Start: c.start, Deflate: c.deflate, Norm: 3, MaxSteps: 10, Enough: bothKnown}.Ends()
		x, ritz := ends.Vector(ends.High)
		if math.Abs(ends.High.Value-c.high) > 1e-12 || (ends.Steps > 0) != c.steps || math.IsNaN(ritz.Value) || slices.ContainsFunc(x, math.IsNaN) {
			t.Errorf("%s: the high end is %v after %d steps, its vector %v with %+v", name, ends.High, ends.Steps, x, ritz)
		}
	}
}
