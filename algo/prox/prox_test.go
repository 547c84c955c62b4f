package prox

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/hearsay-dp/hearsay/internal/draws"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/sparse"
)

var losses = []model.Margined{
	model.Logistic{}, model.Logistic{Intercept: true, Positive: 3}, model.Hinge{}, model.Hinge{Intercept: true, Negative: 0.5}, model.Absolute{},
	model.Absolute{Intercept: true}, model.Ridge{}, model.Ridge{Intercept: true},
}

// A task is one proximal operator.
type task struct {
	model     model.Margined
	ex        model.Examples
	clip      float64
	weight    float64
	w, other  []float64
	tolerance float64
}

func draw(t *rapid.T, size float64) task {
	m := rapid.SampledFrom(losses).Draw(t, "loss")
	features, rows := rapid.IntRange(1, 4).Draw(t, "features"), rapid.IntRange(1, 7).Draw(t, "rows")
	vector := func(name string, n int, size float64) []float64 {
		return rapid.SliceOfN(rapid.Float64Range(-size, size), n, n).Draw(t, name)
	}
	k := task{
		model: m, clip: rapid.SampledFrom([]float64{0.01, 0.3, 1, 5, math.Inf(1)}).Draw(t, "clip"),
		weight: rapid.SampledFrom([]float64{1e-3, 0.1, 1, 30}).Draw(t, "weight"),
		w:      vector("w", m.Params(features), size), other: vector("other", m.Params(features), size),
	}
	k.ex = model.Examples{Features: features, X: vector("x", rows*features, 1)}
	for range rows {
		k.ex.Y = append(k.ex.Y, rapid.SampledFrom([]float64{-1, 1}).Draw(t, "y"))
	}
	if rapid.Bool().Draw(t, "norms known") {
		k.ex.Norms = model.Norms(m, k.ex)
	}
	k.tolerance = k.weight * 1e-11
	return k
}

// mean is the mean of slopes times rows.
func (k *task) mean(slopes []float64) []float64 {
	g := make([]float64, len(k.w))
	for i, s := range slopes {
		x, _ := k.ex.Row(i)
		for j := range g {
			v := 1.0
			if j < len(x) {
				v = x[j]
			}
			g[j] += s * v / float64(k.ex.Len())
		}
	}
	return g
}

// gradient is that mean at p, clipped example by example, by another way.
func (k *task) gradient(p []float64) []float64 {
	mean, one := make([]float64, len(p)), make([]float64, len(p))
	for i := range k.ex.Len() {
		x, y := k.ex.Row(i)
		k.model.Gradient(one, p, x, y)
		size := sparse.Norm(one)
		for j := range mean {
			mean[j] += one[j] * min(1, k.clip/size) / float64(k.ex.Len())
			if size == 0 {
				mean[j] = 0 + mean[j]
			}
		}
	}
	return mean
}

// point is where slopes lead.
func (k *task) point(w []float64) (p []float64, a Answer) {
	a = New(k.model, len(w), k.clip).Solve(w, k.ex, k.weight, k.tolerance)
	g := k.mean(a.Slopes)
	p = make([]float64, len(w))
	for j := range p {
		p[j] = w[j] - k.weight*g[j]
	}
	return p, a
}

func distance(a, b []float64) float64 {
	d := make([]float64, len(a))
	for j := range d {
		d[j] = a[j] - b[j]
	}
	return sparse.Norm(d)
}

// slack is what rounding may add.
func (k *task) slack() float64 {
	steep := k.model.Guarantees(3).Bend()
	return 1e-13 * (1 + k.weight*steep) * (1 + sparse.Norm(k.w) + sparse.Norm(k.other))
}

// Whatever the loss, point, weight and clip, the point found satisfies the condition of
// the minimum, the residual being as small as is said; no example's part is longer than
// the clip, nor the way to the point than weight times it.
func TestPointSatisfiesTheConditionOfTheMinimum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := draw(t, rapid.SampledFrom([]float64{0.1, 3, 1000}).Draw(t, "size"))
		p, a := k.point(k.w)
		if a.Off > k.tolerance && a.Off > k.slack() {
			t.Fatalf("off by %g after %d steps", a.Off, a.Steps)
		}
		g := k.gradient(p)
		for j := range p { // p is itself off by up to tolerance, which its gradient sees times its steepness
			g[j] = p[j] - k.w[j] + k.weight*g[j]
		}
		if steep := 1 + k.weight*k.model.Guarantees(3).Bend(); sparse.Norm(g) > 2*steep*(k.tolerance+k.slack()) {
			t.Fatalf("the condition of the minimum is off by %g", sparse.Norm(g))
		}
		if moved := distance(p, k.w); moved > k.weight*k.clip*(1+1e-12)+1e-15*sparse.Norm(k.w) {
			t.Fatalf("moved by %g with a clip of %g times %g", moved, k.clip, k.weight)
		}
		for i, s := range a.Slopes {
			x, _ := k.ex.Row(i)
			if math.Abs(s)*model.RowNorm(x, len(p) > len(x)) > k.clip*(1+1e-12) {
				t.Fatalf("slope %g of row %v is beyond the clip %g", s, x, k.clip)
			}
		}
	})
}

// A proximal operator moves no two points further apart; as it is computed, not by more
// than what is said of both.
func TestPointsComeNoFurtherApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := draw(t, rapid.SampledFrom([]float64{0.1, 3, 1000}).Draw(t, "size"))
		if near := rapid.Float64Range(0, 1).Draw(t, "near"); near > 0.5 { // close together: at a corner, most of all
			for j := range k.other {
				k.other[j] = k.w[j] + k.other[j]*1e-6
			}
		}
		p, a := k.point(k.w)
		q, b := k.point(k.other)
		if distance(p, q) > distance(k.w, k.other)+a.Off+b.Off+k.slack() {
			t.Fatalf("%g apart became %g", distance(k.w, k.other), distance(p, q))
		}
	})
}

// slow is gradient descent from w with the largest step that is safe.
func (k *task) slow() []float64 {
	p := append([]float64{}, k.w...)
	rate := 1 / (1 + k.weight*k.model.Guarantees(3).Bend())
	for range 60000 {
		g := k.gradient(p)
		still := 0.0
		for j := range p {
			move := rate * (p[j] - k.w[j] + k.weight*g[j])
			p[j] -= move
			still += math.Abs(move)
		}
		if still < 1e-16 {
			break
		}
	}
	return p
}

// A slow and simple solver comes to the same point.
func TestPointIsThatOfASlowSolver(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := draw(t, 1)
		k.weight = min(k.weight, 0.1)
		p, _ := k.point(k.w)
		if d := distance(p, k.slow()); d > 1e-7 {
			t.Fatalf("%g away from the slow solver's point", d)
		}
	})
}

// Points in closed form: one row x of norm 1, from w = a x.
func TestPointsInClosedForm(t *testing.T) {
	x := model.Examples{Features: 2, X: []float64{0.6, 0.8}, Y: []float64{1}}
	for _, c := range []struct {
		m          model.Margined
		a, weight  float64
		clip, want float64
	}{
		{model.Hinge{}, 2, 0.5, 9, 2}, {model.Hinge{}, -1, 0.5, 9, -0.5}, {model.Hinge{}, 0.8, 0.5, 9, 1 - 0.2*0x1p-10/(0.5+0x1p-10)},
		{model.Hinge{}, -1, 0.5, 0.1, -0.95}, {model.Absolute{}, 3, 0.5, 9, 2.5}, {model.Absolute{}, 1, 0.5, 9, 1},
		{model.Ridge{}, 3, 1, 9, 2}, {model.Ridge{}, 3, 1, 0.25, 2.75},
	} {
		w := []float64{0.6 * c.a, 0.8 * c.a}
		a := New(c.m, 2, c.clip).Solve(w, x, c.weight, 1e-12)
		if got := c.a - c.weight*a.Slopes[0]; math.Abs(got-c.want) > 1e-12 || a.Steps > 16 {
			t.Errorf("%+v: %v after %d steps, want %v", c, got, a.Steps, c.want)
		}
	}
}

// What is no number, or too large, has no slope; nothing panics or goes on for ever.
func TestWhatIsNoNumberHasNoSlope(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), 1e200} {
		for _, m := range losses {
			ex := model.Examples{Features: 1, X: []float64{bad, 0.5}, Y: []float64{1, -1}}
			w := make([]float64, m.Params(1))
			a := New(m, len(w), 0.5).Solve(w, ex, 1, 1e-12)
			if a.Slopes[0] != 0 || math.IsNaN(a.Slopes[1]) || a.Slopes[1] == 0 {
				t.Errorf("%T: row %v has slopes %v", m, bad, a.Slopes)
			}
			w[0] = bad
			for _, s := range New(m, len(w), 0.5).Solve(w, ex, 1, 1e-12).Slopes {
				if math.IsNaN(s) || math.Abs(s) > 1 {
					t.Errorf("%T at %v: slope %v", m, bad, s)
				}
			}
		}
	}
}

// As many rows as there are more than parameters, and many parameters: the two ways to
// solve Newton's system agree.
func TestRowsAndParametersSolveTheSame(t *testing.T) {
	m := model.Logistic{}
	ex := model.Examples{Features: 3}
	for i := range 5 {
		ex.X = append(ex.X, math.Sin(float64(i)), math.Cos(float64(3*i)), 0.3*float64(i))
		ex.Y = append(ex.Y, float64(1-2*(i%2)))
	}
	w := []float64{0.5, -2, 1}
	s := New(m, 3, math.Inf(1))
	s.Solve(w, ex, 4, 1e-13)
	s.residual([]float64{3, -1, 2})
	s.newton()
	byParams := append([]float64{}, s.to...)
	for j, r := range s.r {
		s.to[j] = -r
	}
	s.byRows(5)
	if d := distance(byParams, s.to); d > 1e-10 {
		t.Errorf("%v by parameters, %v by rows", byParams, s.to)
	}
}

// Where Newton's method is given no time, the steady one comes to the same point with
// the same certificate.
func TestSteadyStepsEndWhereNewtonsDo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := draw(t, 3)
		p, a := k.point(k.w)
		slow := New(k.model, len(k.w), k.clip)
		slow.most = rapid.IntRange(0, 2).Draw(t, "steps of Newton")
		b := slow.Solve(k.w, k.ex, k.weight, k.tolerance)
		if b.Off > k.tolerance && b.Off > k.slack() {
			t.Fatalf("off by %g after %d steps", b.Off, b.Steps)
		}
		g := k.mean(b.Slopes)
		for j := range g {
			g[j] = k.w[j] - k.weight*g[j]
		}
		if d := distance(p, g); d > a.Off+b.Off+k.slack() {
			t.Fatalf("%g apart, certified to %g and %g", d, a.Off, b.Off)
		}
	})
}

// Rows of any length come to an end: what was found says how far off it is, or that nobody knows.
func TestLongRowsEnd(t *testing.T) {
	for _, m := range []model.Margined{model.Logistic{}, model.Hinge{}} {
		for _, size := range []float64{1e12, 1e20, 1e50, 1e99} {
			for seed := range uint64(6) {
				r := rand.New(rand.NewPCG(seed, 1))
				ex := model.Examples{Features: 3, Y: []float64{1, -1, 1, -1}}
				for range 12 {
					ex.X = append(ex.X, r.NormFloat64()*math.Pow(size, r.Float64()))
				}
				for _, clip := range []float64{1, math.Inf(1)} {
					a := New(m, 3, clip).Solve(make([]float64, 3), ex, 1, 1e-9)
					if a.Steps > mostSteps+mostSteady+1 {
						t.Errorf("%T, rows up to %g, clip %g: %d steps", m, size, clip, a.Steps)
					}
				}
			}
		}
	}
}
