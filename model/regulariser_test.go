package model

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/hearsay-dp/hearsay/internal/draws"
	"github.com/hearsay-dp/hearsay/sparse"
)

// anyRegulariser draws one of every kind.
func anyRegulariser(t *rapid.T) Regulariser {
	low := rapid.Float64Range(-3, 3).Draw(t, "low")
	return Regulariser{
		Kind:   rapid.SampledFrom([]RegulariserKind{NoRegulariser, L1, SquaredL2, Box, Simplex}).Draw(t, "kind"),
		Weight: rapid.Float64Range(0, 5).Draw(t, "weight"),
		Low:    low, High: low + rapid.Float64Range(0, 4).Draw(t, "width"), Total: rapid.Float64Range(0.01, 5).Draw(t, "total"),
	}
}

func anyPoint(t *rapid.T, d int, name string) []float64 {
	return rapid.SliceOfN(rapid.OneOf(rapid.Float64Range(-10, 10), rapid.SampledFrom([]float64{0, 1, -1, 2})), d, d).Draw(t, name)
}

func apart(a, b []float64) []float64 {
	diff := slices.Clone(a)
	sparse.Axpy(diff, -1, b)
	return diff
}

// A proximal point is where its condition of optimality says: (v - p)/gamma is a
// subgradient of r at p, so that for every z, r(z) >= r(p) + <(v-p)/gamma, z - p>.
func TestProximalPointsMeetTheirCondition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, gamma := rapid.IntRange(1, 6).Draw(t, "d"), rapid.Float64Range(0.01, 5).Draw(t, "gamma")
		r, v := anyRegulariser(t), anyPoint(t, d, "v")
		p, z := make([]float64, d), anyPoint(t, d, "z")
		r.Prox(p, v, gamma)
		if value := r.Value(p); math.IsInf(value, 1) {
			t.Fatalf("%+v: %v is outside", r, p)
		}
		r.Prox(z, z, rapid.Float64Range(0.01, 5).Draw(t, "other")) // of sets, some point of theirs
		slope := sparse.Dot(apart(v, p), apart(z, p)) / gamma
		if r.Value(z) < r.Value(p)+slope-1e-9*(1+math.Abs(slope)) {
			t.Fatalf("%+v: z %v is better than %v for %v", r, z, p, v)
		}
	})
}

// Proximal operators are firmly non-expansive: norm(p - q)^2 <= <p - q, v - w>.
func TestProximalOperatorsAreFirmlyNonExpansive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, gamma := rapid.IntRange(1, 6).Draw(t, "d"), rapid.Float64Range(0.01, 5).Draw(t, "gamma")
		r, v, w := anyRegulariser(t), anyPoint(t, d, "v"), anyPoint(t, d, "w")
		p, q := make([]float64, d), make([]float64, d)
		r.Prox(p, v, gamma)
		r.Prox(q, w, gamma)
		moved := apart(p, q)
		if between := sparse.Dot(moved, apart(v, w)); sparse.Dot(moved, moved) > between+1e-12*(1+between) {
			t.Fatalf("%+v: %v and %v lead to %v and %v", r, v, w, p, q)
		}
	})
}

// Brute force: no point of a fine grid in two dimensions does better.
func TestNoPointOfAGridIsNearer(t *testing.T) {
	const gamma, step = 0.7, 0.02
	v := []float64{1.3, -0.45}
	for _, r := range []Regulariser{{}, {Kind: L1, Weight: 0.5}, {Kind: SquaredL2, Weight: 2}, {Kind: Box, Low: -0.2, High: 0.6}, {Kind: Simplex, Total: 1}} {
		p := make([]float64, 2)
		r.Prox(p, v, gamma)
		cost := func(z []float64) float64 { return gamma*r.Value(z) + sparse.Dot(apart(z, v), apart(z, v))/2 }
		for i := -100; i <= 100; i++ {
			for j := -100; j <= 100; j++ {
				z := []float64{float64(i) * step, float64(j) * step}
				if r.Kind == Simplex {
					z[1] = 1 - z[0]
				}
				if cost(z) < cost(p)-1e-12 {
					t.Fatalf("%+v: %v costs %g, and %v costs %g", r, z, cost(z), p, cost(p))
				}
			}
		}
	}
}

// The nearest point of a simplex, by sorting (Held, Wolfe and Crowder 1974).
func sorted(v []float64, total float64) []float64 {
	down := slices.Clone(v)
	slices.Sort(down)
	slices.Reverse(down)
	sum, by := 0.0, 0.0
	for k, x := range down {
		sum += x
		if next := (sum - total) / float64(k+1); x > next {
			by = next
		}
	}
	p := make([]float64, len(v))
	for j, x := range v {
		p[j] = max(0, x-by)
	}
	return p
}

func TestSimplexIsThatBySorting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := anyPoint(t, rapid.IntRange(1, 40).Draw(t, "d"), "v")
		total := rapid.Float64Range(0.01, 50).Draw(t, "total")
		p := make([]float64, len(v))
		Regulariser{Kind: Simplex, Total: total}.Prox(p, v, 1)
		for j, want := range sorted(v, total) {
			if math.Abs(p[j]-want) > 1e-12*(10+total) {
				t.Fatalf("%v to %g: entry %d is %g, and by sorting %g", v, total, j, p[j], want)
			}
		}
	})
	far := []float64{1e300, -1e300, 1e300, 3}
	Regulariser{Kind: Simplex, Total: 1}.Prox(far, far, 1)
	if !slices.Equal(far, []float64{0.5, 0, 0.5, 0}) {
		t.Errorf("from far away: %v", far)
	}
}

// dst may be v, and nothing is allocated.
func TestProxInPlaceAllocatesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, v := anyRegulariser(t), anyPoint(t, 5, "v")
		p := make([]float64, 5)
		r.Prox(p, v, 0.5)
		if r.Prox(v, v, 0.5); !slices.Equal(p, v) {
			t.Fatalf("%+v: in place %v, else %v", r, v, p)
		}
	})
	v := []float64{3, 1, -2, 0.5}
	for _, r := range []Regulariser{{Kind: L1, Weight: 1}, {Kind: SquaredL2, Weight: 1}, {Kind: Box, High: 1}, {Kind: Simplex, Total: 1}} {
		if n := testing.AllocsPerRun(10, func() { r.Prox(v, v, 0.1) }); n > 0 {
			t.Errorf("%s allocates %g times", r.Kind, n)
		}
	}
}

// Minimise ends where the condition of optimality of LASSO holds: the gradient of the
// loss is -weight times the sign of a parameter that is not 0, and within weight of 0
// elsewhere.
func TestMinimiseWithARegulariser(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, d, weight := rapid.IntRange(5, 12).Draw(t, "n"), rapid.IntRange(1, 4).Draw(t, "d"), rapid.Float64Range(0.01, 0.5).Draw(t, "weight")
		number := rapid.Float64Range(-1, 1)
		ex := Examples{Features: d, X: rapid.SliceOfN(number, n*d, n*d).Draw(t, "X"), Y: rapid.SliceOfN(number, n, n).Draw(t, "Y")}
		o := Objective{Model: Ridge{}, L2: 0.1, Regulariser: Regulariser{Kind: L1, Weight: weight}}
		theta := o.Minimise(ex, nil, 2000)
		slope, scratch := make([]float64, d), make([]float64, d)
		o.slopeAt(NewBatch(o.Model), slope, scratch, theta, nil, ex)
		for j, s := range slope {
			if theta[j] == 0 && math.Abs(s) > weight+1e-9 || theta[j] != 0 && math.Abs(s+math.Copysign(weight, theta[j])) > 1e-6 {
				t.Fatalf("theta %v: slope %d is %g at weight %g", theta, j, s, weight)
			}
		}
	})
}
