package walk

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/hearsay-dp/hearsay/internal/draws"
)

func conditions(t *rapid.T) Conditions {
	positive := func(name string) float64 { return math.Exp(rapid.Float64Range(-3, 3).Draw(t, name)) }
	c := Conditions{Steps: rapid.IntRange(1, 1e7).Draw(t, "T"), StrongConvex: positive("mu"), Mixing: 1 + positive("tau"),
		Gradient: positive("zeta"), Distance: positive("D"), NoiseEnergy: positive("noise")}
	c.Smoothness = c.StrongConvex * (1 + positive("condition"))
	return c
}

// The formulas of 002 Theorem 7.6, written out a second time with logarithms
// taken apart.
func TestTheorem76IsWhatIsComputed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := conditions(t)
		steps := float64(c.Steps)
		log := math.Log(steps) + 2*math.Log(c.Distance) + 2*math.Log(c.StrongConvex) -
			math.Log(39) - math.Log(c.Smoothness) - math.Log(c.Mixing) - 2*math.Log(c.Gradient)
		gamma := log / steps / c.StrongConvex
		if gamma > 1/c.Smoothness {
			gamma = 1 / c.Smoothness
		}
		near(t, "step size", c.TheoryStep(), gamma)
		perStep := 1 / (c.StrongConvex * c.StrongConvex * steps)
		bound := 2*math.Pow(c.Distance, 2)/math.Exp(steps*c.StrongConvex/c.Smoothness) +
			c.Smoothness*perStep*(39*c.Mixing*math.Pow(c.Gradient, 2)/c.StrongConvex+c.NoiseEnergy)*log
		near(t, "bound", c.Distance2(), bound)
	})
}

func near(t *rapid.T, what string, got, want float64) {
	if math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
		t.Fatalf("%s is %g, want %g", what, got, want)
	}
}

// TestTheorem76KeepsStepsNonExpansive: the step size never exceeds 1/L, which
// is half of what privacy allows.
func TestTheorem76KeepsStepsNonExpansive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		if c := conditions(t); c.TheoryStep() > 1/c.Smoothness {
			t.Fatalf("step size %g with smoothness %g", c.TheoryStep(), c.Smoothness)
		}
	})
}
