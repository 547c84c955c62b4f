package privacy

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/testdata"
)

func TestGaussianDeltaGolden(t *testing.T) {
	type view struct {
		Mu, Eps float64
		Delta   string
	}
	var cases []view
	for _, file := range testdata.Goldens[struct {
		Cases []view `json:"gaussian_delta"`
	}](t, "conversions") {
		cases = append(cases, file.Cases...)
	}
	for _, c := range cases {
		want, got := testdata.LogOfDecimal(t, c.Delta), LogDeltaGaussian(c.Mu, c.Eps)
		tolerance := 1e-8
		if want < math.Log(1e-12) {
			tolerance = 1e-6
		}
		if d := math.Abs(math.Expm1(got - want)); d > tolerance {
			t.Errorf("mu=%g eps=%g: ln delta %v, want %v: delta is off by %g", c.Mu, c.Eps, got, want, d)
		}
	}
}

// simpleLogDelta integrates (1 - e^{-mu s}) phi over the region where the
// loss exceeds eps, in arithmetic of 300 bits at heart: a trapezoid rule on a
// smooth integrand that falls off like a Gaussian.
func simpleLogDelta(mu, eps float64) float64 {
	near := eps/mu - mu/2
	// delta = phi(near) int_0^inf exp(-near s - s^2/2) (1 - exp(-mu s)) ds
	sum, end := 0.0, 12+max(0, -near)
	if near > 3 {
		end = 45 / near
	}
	const n = 1 << 15
	for k := 1; k < n; k++ {
		// s = end * smooth step, so that the rule converges fast at both ends
		u := float64(k) / n
		s, ds := end*u*u*u*(10-15*u+6*u*u), end*30*u*u*(1-u)*(1-u)
		sum += math.Exp(-near*s-s*s/2) * -math.Expm1(-mu*s) * ds / n
	}
	return LogDensity(near) + math.Log(sum)
}

func TestLogDeltaGaussianEqualsItsIntegral(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mu := math.Exp(rapid.Float64Range(-12, 2).Draw(t, "ln mu"))
		eps := math.Exp(rapid.Float64Range(-12, 3).Draw(t, "ln eps"))
		got, want := LogDeltaGaussian(mu, eps), simpleLogDelta(mu, eps)
		if d := math.Abs(got - want); d > 1e-10+1e-15*math.Abs(want) {
			t.Fatalf("mu=%g eps=%g: %v, the integral gives %v", mu, eps, got, want)
		}
	})
}

func TestGaussianInverses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mu := math.Exp(rapid.Float64Range(-6, 2).Draw(t, "ln mu"))
		delta := math.Exp(rapid.Float64Range(-700, -0.1).Draw(t, "ln delta"))
		eps := EpsilonGaussian(mu, delta)
		if eps == 0 {
			if LogDeltaGaussian(mu, 0) > math.Log(delta) {
				t.Fatalf("eps 0 is not enough at mu=%g delta=%g", mu, delta)
			}
			return
		}
		if d := math.Abs(LogDeltaGaussian(mu, eps) - math.Log(delta)); d > 1e-8 {
			t.Fatalf("mu=%g delta=%g: eps=%g misses by %g", mu, delta, eps, d)
		}
		if back := MuGaussian(eps, delta); math.Abs(back/mu-1) > 1e-8 {
			t.Fatalf("mu=%g came back as %g", mu, back)
		}
	})
}

func TestLogDeltaGaussianIsMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mu := math.Exp(rapid.Float64Range(-8, 3).Draw(t, "ln mu"))
		eps := math.Exp(rapid.Float64Range(-8, 4).Draw(t, "ln eps"))
		more := 1 + math.Exp(rapid.Float64Range(-12, 0).Draw(t, "ln more"))
		at := LogDeltaGaussian(mu, eps)
		if LogDeltaGaussian(mu, eps*more) >= at && at < -1e-15 {
			t.Fatalf("delta does not fall from eps=%g to %g at mu=%g", eps, eps*more, mu)
		}
		if LogDeltaGaussian(mu*more, eps) <= at && at < -1e-15 {
			t.Fatalf("delta does not grow from mu=%g to %g at eps=%g", mu, mu*more, eps)
		}
	})
}

func TestNoShiftHasNoDelta(t *testing.T) {
	if got := LogDeltaGaussian(0, 1); !math.IsInf(got, -1) {
		t.Errorf("ln delta %v", got)
	}
	if got := EpsilonGaussian(0, 1e-6); got != 0 {
		t.Errorf("eps %v", got)
	}
}

// Epsilon has the bits of a bisection that evaluates every delta one by one, with nodes that
// are evaluated alone.
func TestEpsilonGaussianIsThatOfAPlainBisection(t *testing.T) {
	plainDrop := func(x, width float64) float64 {
		if width > max(1, x) {
			return mills(x) - mills(x+width)
		}
		sum, rule := 0.0, newRule(20)
		for i, at := range rule.at {
			sum += rule.weight[i] * width * millsFall(x+at*width)
		}
		return sum
	}
	rapid.Check(t, func(t *rapid.T) {
		mu := math.Exp(rapid.Float64Range(-10, 4).Draw(t, "ln mu"))
		target := -rapid.Float64Range(1e-9, 700).Draw(t, "-ln delta")
		delta := math.Exp(target)
		target = math.Log(delta)
		plain := func(eps float64) float64 {
			near, far := eps/mu-mu/2, eps/mu+mu/2
			if near < -1 && mu > 1 {
				return math.Log1p(-math.Exp(logTail(-near)) - math.Exp(eps+logTail(far)))
			}
			return LogDensity(near) + math.Log(plainDrop(near, mu))
		}
		want := 0.0
		if plain(0) > target {
			want = Bisect(0, mu*mu/2+mu*math.Sqrt(-2*target), func(eps float64) bool { return plain(eps) <= target })
		}
		if got := EpsilonGaussian(mu, delta); got != want {
			t.Fatalf("epsilon of mu %v at delta %v is %v, by plain bisection %v", mu, delta, got, want)
		}
	})
}

// A rule of n points integrates polynomials of degree up to 2n - 1.
func TestRulesIntegratePolynomials(t *testing.T) {
	for _, n := range []int{5, 10, 16, 20} {
		rule := newRule(n)
		for degree := range 2 * n {
			sum := 0.0
			for i, x := range rule.at {
				sum += rule.weight[i] * math.Pow(x, float64(degree))
			}
			if math.Abs(sum*float64(degree+1)-1) > 1e-13 {
				t.Errorf("%d points: the integral of x^%d is %v", n, degree, sum)
			}
		}
	}
}
