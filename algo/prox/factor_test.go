package prox

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/model"
)

// Least squares from a factor come to the same point as without, with the same
// certificate, clipped or not, and where nothing is clipped at once.
func TestFactorLeadsToTheSamePoint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := draw(t, rapid.SampledFrom([]float64{0.1, 3, 1000}).Draw(t, "size"))
		k.model = model.Ridge{}
		if len(k.w) > k.ex.Features {
			k.model = model.Ridge{Intercept: true}
		}
		p, a := k.point(k.w)
		s := New(k.model, len(k.w), k.clip)
		b := s.SolveFrom(s.Factor(k.ex, k.weight), k.w, k.ex, k.weight, k.tolerance)
		if b.Off > k.tolerance && b.Off > k.slack() {
			t.Fatalf("off by %g after %d steps", b.Off, b.Steps)
		}
		if math.IsInf(k.clip, 1) && k.ex.Len() > 1 && b.Steps > 1 {
			t.Fatalf("%d steps from where it should be", b.Steps)
		}
		g := k.mean(b.Slopes)
		for j := range g {
			g[j] = k.w[j] - k.weight*g[j]
		}
		if d := distance(p, g); d > a.Off+b.Off+k.slack() {
			t.Fatalf("%v with a factor, %v without", g, p)
		}
	})
}

// What is no number, or too large, has no slope and stops nobody.
func TestFactorOfWhatIsNoNumber(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), 1e200} {
		for _, features := range []int{1, 4} {
			ex := model.Examples{Features: features, X: make([]float64, 3*features), Y: []float64{1, bad, -1}}
			ex.X[0], ex.X[features], ex.X[2*features] = bad, 0.5, 0.5
			w := make([]float64, features)
			s := New(model.Ridge{}, features, 0.5)
			for i, slope := range s.SolveFrom(s.Factor(ex, 1), w, ex, 1, 1e-12).Slopes {
				if math.IsNaN(slope) || math.Abs(slope) > 1 {
					t.Errorf("%g in %d columns: slope %d is %g", bad, features, i, slope)
				}
			}
		}
	}
}

// Only least squares of several rows, and not too many, have anything to prepare.
func TestFactorsThereAre(t *testing.T) {
	rows := func(n int) model.Examples {
		return model.Examples{Features: 600, X: make([]float64, 600*n), Y: make([]float64, n)}
	}
	for _, c := range []struct {
		m    model.Margined
		rows int
		want bool
	}{{model.Ridge{}, 2, true}, {model.Ridge{}, 1, false}, {model.Ridge{}, 0, false}, {model.Ridge{}, 513, false}, {model.Logistic{}, 2, false}} {
		if got := New(c.m, 600, 1).Factor(rows(c.rows), 1) != nil; got != c.want {
			t.Errorf("%T with %d rows: %v", c.m, c.rows, got)
		}
	}
}
