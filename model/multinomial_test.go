package model

import (
	"math"
	"math/rand/v2"
	"testing"
)

// climb changes points at random, by less and less, and keeps what raises the
// value: an attack on a bound.
func climb(rng *rand.Rand, at []float64, tries int, value func([]float64) float64) float64 {
	best, step := value(at), 2.0
	next := make([]float64, len(at))
	for range tries {
		for i, v := range at {
			next[i] = v + step*rng.NormFloat64()
		}
		if now := value(next); now > best {
			best = now
			copy(at, next)
		} else {
			step = max(1e-3, step*0.995)
		}
	}
	return best
}

// The constants of multinomial regression hold against a search for the worst
// parameters, and are no larger than they must be: the search gets near them.
func TestConstantsOfMultinomialAreAttacked(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, m := range []Multinomial{NewMultinomial(2, false, nil), NewMultinomial(3, true, nil), NewMultinomial(3, true, []float64{1, 2, 0.5})} {
		x := []float64{0.6, 0.8}
		claim, d := m.Guarantees(1), m.Params(2)
		g, h := make([]float64, d), make([]float64, d)
		slope := climb(rng, make([]float64, d), 3000, func(theta []float64) float64 {
			m.Gradient(g, theta, x, 1)
			return norm(g)
		})
		curvature := climb(rng, make([]float64, 2*d), 3000, func(both []float64) float64 {
			m.Gradient(g, both[:d], x, 1)
			direction, apart := both[d:], norm(both[d:])
			other := make([]float64, d)
			for i := range other {
				other[i] = both[i] + 1e-4*direction[i]/apart
			}
			m.Gradient(h, other, x, 1)
			for i := range h {
				h[i] -= g[i]
			}
			if !(apart > 0) {
				return 0
			}
			return norm(h) / 1e-4
		})
		if slope > claim.Lipschitz()*(1+1e-12) || slope < 0.9*claim.Lipschitz() {
			t.Errorf("%d classes: a gradient of norm %g, Lipschitz constant %g", m.Classes(), slope, claim.Lipschitz())
		}
		if curvature > claim.LossSmoothness()*(1+1e-6) || curvature < 0.9*claim.LossSmoothness() {
			t.Errorf("%d classes: a curvature of %g, smoothness %g", m.Classes(), curvature, claim.LossSmoothness())
		}
	}
}

// A clipped step of multinomial regression can bring two models further apart,
// however small it is, which is why it is not said to be clip safe: here the
// clipped gradient turns with the outputs.
func TestAClippedStepOfMultinomialIsExpansive(t *testing.T) {
	m, x := NewMultinomial(3, false, nil), []float64{1}
	theta, other := []float64{2, 1, 0}, []float64{2, 1, 0}
	turned := 0.0
	for k := range 360 {
		angle := 2 * math.Pi * float64(k) / 360
		other[1], other[2] = 1+1e-3*math.Cos(angle), 1e-3*math.Sin(angle)
		g, h := clipped(gradient(m, theta, x, 1), 0.1), clipped(gradient(m, other, x, 1), 0.1)
		inner := 0.0
		for i := range g {
			inner += (g[i] - h[i]) * (theta[i] - other[i])
		}
		turned = min(turned, inner/1e-6)
	}
	if turned > -1e-4 {
		t.Fatalf("the clipped gradients are monotone: %g", turned)
	}
	d := Descent{Step: 0.1, Clip: 0.1}
	if m.Guarantees(1).Update(d).Expansive() == "" || m.Guarantees(1).Update(Descent{Step: 0.1, Clip: math.Sqrt2}).Expansive() != "" {
		t.Fatal("it is to be refused exactly where the clip binds")
	}
}

// No constant of a network is finite, and its gradients are not: weights of the
// next layer multiply them.
func TestANetworkGuaranteesNothing(t *testing.T) {
	n := NewNetwork(2, []int{2}, true, nil)
	u := n.Guarantees(1).Update(Descent{Step: 1e-9, Clip: 1})
	if u.Expansive() == "" || !math.IsInf(u.Lipschitz(1e-9), 1) || u.IsAsserted() != "" || u.Sensitivity() != 2 {
		t.Fatalf("%q, Lipschitz constant %g, sensitivity %g", u.Expansive(), u.Lipschitz(1e-9), u.Sensitivity())
	}
	theta := make([]float64, n.Params(1))
	theta[4], theta[7] = 1e6, -1e6 // weights of the last layer
	if g := gradient(n, theta, []float64{1}, -1); norm(g) < 1e5 {
		t.Fatalf("a gradient of norm %g", norm(g))
	}
}
