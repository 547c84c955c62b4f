package discrete

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// density is the Gaussian's at x.
func density(x, variance float64) float64 {
	return math.Exp(-x*x/(2*variance)) / math.Sqrt(2*math.Pi*variance)
}

// rounded is the probability of j when a continuous Gaussian of variance
// square-w2 is rounded at random: the trapezoid rule, which on a whole line
// of analytic functions is exact to the last digits.
func rounded(j int64, square, w2 float64) float64 {
	const h = 1.0 / 64
	reach := 12 * math.Sqrt(square)
	var sum float64
	for y := -reach; y <= reach; y += h {
		var total float64
		centre := math.Round(y)
		for i := centre - 12; i <= centre+12; i++ {
			total += math.Exp(-(i - y) * (i - y) / (2 * w2))
		}
		d := float64(j) - y
		sum += h * density(y, square-w2) * math.Exp(-d*d/(2*w2)) / total
	}
	return sum
}

// The discrete Gaussian is within e^eta of the randomly rounded one at every
// integer.
func TestClosenessBoundsTheRatio(t *testing.T) {
	for _, c := range []struct {
		s  uint64
		w2 float64
	}{{2, 0.1}, {2, 0.3}, {3, 0.5}, {3, 0.7}, {5, 0.2}} {
		square := float64(c.s * c.s)
		eta, worst := closeness(c.w2), 0.0
		for j := range int64(6 * c.s) {
			ratio := exactly(j, c.s, int64(14*c.s)) / rounded(j, square, c.w2)
			worst = max(worst, math.Abs(math.Log(ratio)))
		}
		if worst > eta+1e-12 || worst < 1e-13 {
			t.Errorf("s = %d, w^2 = %g: ratio e^%g, eta %g", c.s, c.w2, worst, eta)
		}
	}
}

// eta is the sum it stands for, and rounds up.
func TestClosenessIsItsSum(t *testing.T) {
	for _, w2 := range []float64{0.1, 0.25, 0.5, 1} {
		var h float64
		for m := 40.0; m > 0; m-- {
			h += 2 * math.Exp(-2*math.Pi*math.Pi*w2*m*m)
		}
		want := math.Log1p(h) - math.Log1p(-h)
		if got := closeness(w2); got < want || got > want*(1+2*math.Exp(-6*math.Pi*math.Pi*w2)+1e-11) {
			t.Errorf("eta is %g at w^2 = %g, the sum says %g", got, w2, want)
		}
	}
}

// gaussDelta is the hockey-stick divergence of N(mu, 1) from N(0, 1) at e^eps.
func gaussDelta(mu, eps float64) float64 {
	tail := func(x float64) float64 { return math.Erfc(x/math.Sqrt2) / 2 }
	return tail(eps/mu-mu/2) - math.Exp(eps)*tail(eps/mu+mu/2)
}

// stickDelta is the same of the discrete Gaussian against itself moved by v,
// by summing.
func stickDelta(s uint64, v int64, eps float64) (delta float64) {
	reach := int64(14 * s)
	for j := -reach; j <= reach; j++ {
		delta += max(0, exactly(j-v, s, reach+v)-math.Exp(eps)*exactly(j, s, reach+v))
	}
	return delta
}

// The discrete delta stays below the continuous one of the smaller noise plus
// the extra; and the continuous one alone is no bound, so that the extra is
// needed.
func TestExtraDeltaIsEnoughAndNeeded(t *testing.T) {
	needed := false
	for _, s := range []uint64{1, 2, 4} {
		for v := int64(1); v <= 3; v++ {
			for eps := 0.0; eps < 3; eps += 0.05 {
				exact := stickDelta(s, v, eps)
				needed = needed || exact > gaussDelta(float64(v)/float64(s), eps)*(1+1e-9)
				for _, w2 := range []float64{0.2, 0.5, 0.8} {
					smaller := math.Sqrt(float64(s*s) - w2)
					if bound := gaussDelta(float64(v)/smaller, eps) + 2*math.Expm1(closeness(w2)); exact > bound+1e-13 {
						t.Fatalf("s = %d moved by %d: delta(%g) is %g, bound %g", s, v, eps, exact, bound)
					}
				}
			}
		}
	}
	if !needed {
		t.Error("the continuous delta bounds the discrete one without any extra")
	}
}

// The Renyi divergence of order alpha is at most alpha v^2/(2 s^2), and no
// less than half of it, at integer orders, by summing.
func TestRenyiIsTheContinuousOne(t *testing.T) {
	for _, s := range []uint64{1, 2, 5} {
		for v := int64(1); v <= 3; v++ {
			for alpha := 2.0; alpha <= 5; alpha++ {
				reach := int64(14*s) + int64(alpha)*v
				var sum float64
				for j := -reach; j <= reach; j++ {
					p, q := exactly(j-v, s, reach+v), exactly(j, s, reach+v)
					if q > 0 {
						sum += math.Pow(p/q, alpha) * q
					}
				}
				bound := alpha * float64(v*v) / float64(2*s*s)
				if got := math.Log(sum) / (alpha - 1); got > bound*(1+1e-9) || got < bound/2 {
					t.Errorf("s = %d moved by %d: divergence %g of order %g, bound %g", s, v, got, alpha, bound)
				}
			}
		}
	}
}

// At the sizes in use the extra is nothing anybody could see: a trillion
// draws add less than 1e-55.
func TestExtraDeltaAddsUp(t *testing.T) {
	if x := ExtraDelta(1e12); !(x > 0 && x < 1e-55) {
		t.Errorf("a trillion draws add %g", x)
	}
	if ExtraDelta(0) != 0 || !(ExtraDelta(2) > ExtraDelta(1)) {
		t.Error("the extra does not grow with the draws")
	}
}

// Hiding part of the whole difference of two rounded tokens costs the part and
// half of the slack less a step each, and leaves no more than planned: the
// accounting behind Slack, coordinate by coordinate.
func TestSlackCoversTheRounding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dims := rapid.IntRange(1, 6).Draw(t, "dims")
		std := rapid.Float64Range(1e-3, 1e12).Draw(t, "std")
		g, slack := NewGrid(std), Slack(std, dims)
		a, b := inBall(t, dims), inBall(t, dims)
		apart, moved := 0.0, 0.0 // before and after rounding
		difference := make([]float64, dims)
		for i := range a {
			apart = math.Hypot(apart, a[i]-b[i])
			difference[i] = g.value(g.round(a[i]) - g.round(b[i]))
			moved = math.Hypot(moved, difference[i])
		}
		plan := rapid.Float64Range(0, 2).Draw(t, "plan") // what continuous noise was to hide
		share := 1.0
		if moved > 0 {
			share = min(1, (plan+slack*3/4)/moved)
		}
		hidden, left := 0.0, 0.0
		for _, d := range difference {
			part := g.value(g.round(share * d))
			hidden, left = math.Hypot(hidden, part), math.Hypot(left, d-part)
		}
		if hidden > (plan+slack)*(1+1e-12) || left > max(0, apart-plan)+1e-12*(1+slack) {
			t.Fatalf("%g apart, %g planned: hides %g, leaves %g; slack %g", apart, plan, hidden, left, slack)
		}
	})
}

// Two vectors in the ball, rounded, are no further apart than the effective
// sensitivity.
func TestEffectiveSensitivityBoundsTheRounding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dims := rapid.IntRange(1, 6).Draw(t, "dims")
		std := rapid.Float64Range(1e-3, 1e12).Draw(t, "std") // up to grids coarser than the ball
		g := NewGrid(std)
		a, b := inBall(t, dims), inBall(t, dims)
		var square float64
		for i := range a {
			d := g.value(g.round(a[i])) - g.value(g.round(b[i]))
			square += d * d
		}
		if bound := EffectiveSensitivity(2, std, dims); math.Sqrt(square) > bound*(1+1e-14) {
			t.Fatalf("rounded vectors are %g apart, bound %g", math.Sqrt(square), bound)
		}
	})
}

// inBall is a vector of norm 1 at most.
func inBall(t *rapid.T, dims int) []float64 {
	v := rapid.SliceOfN(rapid.Float64Range(-1, 1), dims, dims).Draw(t, "vector")
	norm := 1.0
	for _, x := range v {
		norm = math.Hypot(norm, x)
	}
	for i := range v {
		v[i] /= norm
	}
	return v
}

// The multiplier to account with is below the one asked for, by about the
// grid's price.
func TestEffectiveMultiplierIsBelowTheNominal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sensitivity := rapid.Float64Range(1e-6, 1e6).Draw(t, "sensitivity")
		nominal := rapid.Float64Range(0.01, 1000).Draw(t, "multiplier")
		dims := rapid.IntRange(1, 100_000).Draw(t, "dims")
		got := EffectiveMultiplier(sensitivity, nominal*sensitivity, dims)
		price := 0x1p-27 * (1 + nominal*math.Sqrt(float64(dims)))
		// The noise itself may have been rounded up, by 2^-28 at most.
		if got > nominal*(1+0x1p-28) || got < nominal*(1-price) {
			t.Fatalf("%g for %g asked, price %g", got, nominal, price)
		}
	})
}
