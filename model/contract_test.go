package model

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// all is every model the package has, under the names of a spec.
func all() []Model {
	return []Model{
		Logistic{}, Logistic{Intercept: true}, Ridge{}, Ridge{Intercept: true}, Mean{}, Own{},
		Logistic{Intercept: true, Negative: 0.5, Positive: 3}, Hinge{}, Hinge{Intercept: true, Negative: 0.5}, Absolute{}, Absolute{Intercept: true},
		NewMultinomial(2, false, nil), NewMultinomial(3, true, nil), NewMultinomial(4, true, []float64{1, 0.25, 2, 1}),
		Histogram{Values: 2}, Histogram{Values: 3},
		NewNetwork(2, []int{2}, true, nil), NewNetwork(3, []int{3, 2}, true, []float64{1, 2, 0.5}), NewNetwork(0, []int{3}, true, nil), NewNetwork(3,
			[]int{2}, false, nil),
	}
}

// labels are those that m can have.
func labels(m Model) []float64 {
	if d, ok := m.(interface{ Classes() int }); ok && d.Classes() > 2 || m == (Histogram{3}) {
		return []float64{0, 1, 2}
	}
	return []float64{-1, 1}
}

func vector(t *rapid.T, name string, n int) []float64 {
	return rapid.SliceOfN(rapid.Float64Range(-2, 2), n, n).Draw(t, name)
}

func norm(x []float64) float64 {
	var sum float64
	for _, v := range x {
		sum += v * v
	}
	return math.Sqrt(sum)
}

// point draws parameters, an example and a label for m.
func point(t *rapid.T, m Model) (theta, x []float64, y float64) {
	features := rapid.IntRange(1, 6).Draw(t, "features")
	theta = vector(t, "theta", m.Params(features))
	x = vector(t, "x", features)
	y = rapid.SampledFrom(labels(m)).Draw(t, "y")
	return theta, x, y
}

func gradient(m Model, theta, x []float64, y float64) []float64 {
	g := make([]float64, len(theta))
	m.Gradient(g, theta, x, y)
	return g
}

// The gradient is the derivative of the loss: central differences of step h
// have an error of order h^2, about 1e-10 here.
func TestGradientIsTheDerivativeOfTheLoss(t *testing.T) {
	for _, m := range all() {
		rapid.Check(t, func(t *rapid.T) {
			theta, x, y := point(t, m)
			g := gradient(m, theta, x, y)
			const h = 1e-5
			for i := range theta {
				at := theta[i]
				theta[i] = at + h
				up := m.Loss(theta, x, y)
				theta[i] = at - h
				down := m.Loss(theta, x, y)
				theta[i] = at
				if want := (up - down) / (2 * h); math.Abs(g[i]-want) > 1e-7*(1+math.Abs(want))+bends(m, x)*h {
					t.Fatalf("%T: gradient[%d] = %g, difference quotient %g", m, i, g[i], want)
				}
			}
		})
	}
}

// bends is how much the slope of a loss with rounded corners changes by a unit of
// distance, which a difference quotient beside a corner is off by; 0 without corners.
func bends(m Model, x []float64) float64 {
	if g := m.Guarantees(norm(x)); math.IsInf(g.Smoothness(), 1) && !math.IsInf(g.Bend(), 1) {
		return g.Bend()
	}
	return 0
}

// What a model claims about convexity, smoothness, strong convexity and its
// Lipschitz constant holds between any two points.
func TestGuaranteesHold(t *testing.T) {
	for _, m := range all() {
		rapid.Check(t, func(t *rapid.T) {
			theta, x, y := point(t, m)
			other := vector(t, "other", len(theta))
			g, h := gradient(m, theta, x, y), gradient(m, other, x, y)
			claim := m.Guarantees(norm(x))
			var inner, apart, moved float64
			for i := range theta {
				d := theta[i] - other[i]
				inner += (g[i] - h[i]) * d
				apart += d * d
				moved += (g[i] - h[i]) * (g[i] - h[i])
			}
			const slack = 1e-9
			if claim.Convex() && inner < claim.StrongConvex()*apart-slack {
				t.Errorf("%T: not %g-strongly convex: <dg,dx> = %g, |dx|^2 = %g", m, claim.StrongConvex(), inner, apart)
			}
			if math.Sqrt(moved) > claim.Smoothness()*math.Sqrt(apart)+slack {
				t.Errorf("%T: not %g-smooth: |dg| = %g, |dx| = %g", m, claim.Smoothness(), math.Sqrt(moved), math.Sqrt(apart))
			}
			if norm(g) > claim.Lipschitz()+slack {
				t.Errorf("%T: not %g-Lipschitz: |g| = %g", m, claim.Lipschitz(), norm(g))
			}
		})
	}
}

// A model that says ClipSafe stays non-expansive when its per-example
// gradients are clipped: for step sizes up to 2/beta, a clipped gradient step
// brings no two points further apart. It is what every amplification theorem
// needs.
func TestClippedStepIsNonExpansive(t *testing.T) {
	for _, m := range all() {
		rapid.Check(t, func(t *rapid.T) {
			theta, x, y := point(t, m)
			other := vector(t, "other", len(theta))
			claim := m.Guarantees(norm(x))
			clip := rapid.Float64Range(0.01, 3).Draw(t, "clip")
			// Beyond 1e6, where features are all but 0, rounding is larger than the slack.
			gamma := rapid.Float64Range(0, 1).Draw(t, "fraction") * min(1e6, 2/claim.Smoothness())
			g, h := clipped(gradient(m, theta, x, y), clip), clipped(gradient(m, other, x, y), clip)
			var before, after float64
			for i := range theta {
				d := theta[i] - other[i]
				before += d * d
				d -= gamma * (g[i] - h[i])
				after += d * d
			}
			if claim.ClipSafe() && math.Sqrt(after) > math.Sqrt(before)*(1+1e-9)+1e-12 {
				t.Fatalf("%T: a clipped step of %g took two points from %g to %g apart", m, gamma, math.Sqrt(before), math.Sqrt(after))
			}
		})
	}
}

func clipped(g []float64, clip float64) []float64 {
	if n := norm(g); n > clip {
		for i := range g {
			g[i] *= clip / n
		}
	}
	return g
}

func TestLogisticLossDoesNotOverflow(t *testing.T) {
	for _, z := range []float64{-1e6, -750, 750, 1e6} {
		loss := Logistic{}.Loss([]float64{z}, []float64{1}, 1)
		if want := math.Max(-z, 0); math.Abs(loss-want) > 1e-9 {
			t.Errorf("loss at margin %g is %g, want %g", z, loss, want)
		}
		g := gradient(Logistic{}, []float64{z}, []float64{1}, 1)
		if math.IsNaN(g[0]) || math.Abs(g[0]) > 1 {
			t.Errorf("gradient at margin %g is %g", z, g[0])
		}
	}
}

// The gradient of Clipped is the clipped gradient of Loss.
func TestClippedHasTheClippedGradient(t *testing.T) {
	for _, m := range all() {
		rapid.Check(t, func(t *rapid.T) {
			theta, x, y := point(t, m)
			clip := rapid.Float64Range(0.01, 3).Draw(t, "clip")
			g := gradient(m, theta, x, y)
			free := norm(g) < clip
			g = clipped(g, clip)
			if !m.Guarantees(1).ClipSafe() {
				if !free && !math.IsNaN(m.Clipped(theta, x, y, clip)) {
					t.Fatalf("%T: a clipped gradient that need not have an antiderivative has one", m)
				}
				return
			}
			if free && math.Abs(m.Clipped(theta, x, y, clip)-m.Loss(theta, x, y)) > 1e-12 {
				t.Fatalf("%T: %g where nothing is clipped and the loss is %g", m, m.Clipped(theta, x, y, clip), m.Loss(theta, x, y))
			}
			const h = 1e-5
			for i := range theta {
				at := theta[i]
				theta[i] = at + h
				up := m.Clipped(theta, x, y, clip)
				theta[i] = at - h
				down := m.Clipped(theta, x, y, clip)
				theta[i] = at
				// At the joint the second derivative jumps, by less than 20 here: an error of order h.
				if want := (up - down) / (2 * h); math.Abs(g[i]-want) > 40*h+bends(m, x)*h {
					t.Fatalf("%T: clipped gradient[%d] = %g, difference quotient %g", m, i, g[i], want)
				}
			}
		})
	}
}

// Score is the plain loss; Minimised adds the penalty, the clipping and the
// weights.
func TestScoreIsPlainAndMinimisedIsNot(t *testing.T) {
	o := Objective{Model: Logistic{}, L2: 2}
	ex := Examples{Features: 1, X: []float64{1, -1, 3, -3}, Y: []float64{1, -1, -1, -1}}
	loss, accuracy := o.Score([]float64{0.5}, ex)
	want, weighted := 0.0, o.Penalty([]float64{0.5})
	weight := []float64{0.1, 0.2, 0.3, 0.4}
	for i := range ex.Len() {
		x, y := ex.Row(i)
		want += o.Loss([]float64{0.5}, x, y) / 4
		weighted += weight[i] * o.Loss([]float64{0.5}, x, y)
	}
	if math.Abs(loss-want) > 1e-15 || o.Penalty([]float64{0.5}) != 0.25 {
		t.Errorf("loss %g, want %g", loss, want)
	}
	if got := o.Minimised([]float64{0.5}, ex, weight, 1e6); math.Abs(got-weighted) > 1e-15 {
		t.Errorf("minimised %g, want %g", got, weighted)
	}
	if accuracy != 0.75 {
		t.Errorf("accuracy %g, want 0.75", accuracy)
	}
	if _, accuracy := (Objective{Model: Ridge{}}).Score([]float64{0.5}, ex); !math.IsNaN(accuracy) {
		t.Errorf("ridge has accuracy %g, want NaN", accuracy)
	}
}
