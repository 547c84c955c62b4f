package sums

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/privacy"
)

func TestCompositionIsTheLeastOfThree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		eps := rapid.SliceOfN(rapid.Float64Range(0, 2), 1, 60).Draw(t, "eps")
		slack := math.Exp(rapid.Float64Range(-40, -1).Draw(t, "ln slack"))
		var c composition
		sum, mean, squares := 0.0, 0.0, 0.0
		for _, e := range eps {
			c.add(e, 1)
			sum += e
			mean += e * (math.Exp(e) - 1) / (math.Exp(e) + 1)
			squares += e * e
		}
		want := min(sum,
			mean+math.Sqrt(2*squares*math.Log(math.E+math.Sqrt(squares)/slack)),
			mean+math.Sqrt(2*squares*math.Log(1/slack)))
		if got := c.epsilon(slack); math.Abs(got-want) > 1e-9*(1+want) {
			t.Fatalf("%g, want %g", got, want)
		}
	})
}

// Composed Gaussians are known exactly, and no composition theorem may claim
// less: at delta = k times the delta of one, plus the slack.
func TestCompositionIsAboveComposedGaussians(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(1, 300).Draw(t, "k")
		mu := math.Exp(rapid.Float64Range(-4, 0).Draw(t, "ln mu"))
		delta := math.Exp(rapid.Float64Range(-25, -8).Draw(t, "ln delta"))
		each := privacy.EpsilonGaussian(mu, delta)
		exact := privacy.EpsilonGaussian(math.Sqrt(float64(k))*mu, min(0.999, float64(k)*delta+delta))
		var c composition
		c.add(each, float64(k))
		if got := c.epsilon(delta); got < exact {
			t.Fatalf("%d Gaussians of mu %g: %g, the truth is %g", k, mu, got, exact)
		}
		if got := privacy.AdvancedComposition(float64(k), each, delta); got < exact {
			t.Fatalf("%d Gaussians of mu %g: advanced %g, the truth is %g", k, mu, got, exact)
		}
	})
}
