package budget

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/hearsay-dp/hearsay/internal/draws"
	"github.com/hearsay-dp/hearsay/privacy"
)

// exactly is the epsilon at which what delta says falls to target: a composition of its own.
func exactly(target float64, delta func(eps float64) float64) float64 {
	low, high := 0.0, 200.0
	for range 100 {
		if middle := (low + high) / 2; delta(middle) > target {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// seen is the delta of one Gaussian of a shift, by the standard library's erfc.
func seen(mu, eps float64) float64 {
	phi := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	return phi(mu/2-eps/mu) - math.Exp(eps)*phi(-mu/2-eps/mu)
}

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if !(math.Abs(got-want) <= within*want) {
		t.Errorf("%s: %.6g, want %.6g", what, got, want)
	}
}

// Runs of epsilon 1 at delta 1e-6 each come to 1.45 after two, 1.81 after three and 3.5 after ten: their shifts add in squares.
func TestRunsOfEpsilonOneComposeToTheRightTotals(t *testing.T) {
	const delta = 1e-6
	mu := privacy.MuGaussian(1, delta)
	for runs, want := range map[int]float64{1: 1, 2: 1.455, 3: 1.815, 10: 3.52} {
		var all []Loss
		for range runs {
			l := Gaussian(mu * mu)
			l.Epsilon, l.Delta = 1, delta
			all = append(all, l)
		}
		got := Sum(all...).At(delta)
		near(t, "as the issue says", got, want, 0.005)
		near(t, "as composed here", got, exactly(delta, func(eps float64) float64 { return seen(math.Sqrt(float64(runs))*mu, eps) }), 1e-6)
	}
}

// A run of which the path of a token hides a part composes by its moments: never below what an observer who knows the paths
// learns of two such runs and a Gaussian one, and by no more than an eighth above it.
func TestRunsThatPathsHideComposeSoundly(t *testing.T) {
	const delta = 1e-6
	energies, weights := []float64{0.01, 0.04, 0.25}, []float64{0.5, 0.4, 0.1}
	path := Curve(0.25, func(order float64) float64 {
		moment := 0.0
		for i, v := range energies {
			moment += weights[i] * math.Exp(order*(order-1)*v/2)
		}
		return math.Log(moment) / (order - 1)
	})
	got := Sum(path, path, Gaussian(0.1)).At(delta)
	exact := exactly(delta, func(eps float64) (sum float64) {
		for i, v := range energies {
			for k, w := range energies {
				sum += weights[i] * weights[k] * seen(math.Sqrt(v+w+0.1), eps)
			}
		}
		return sum
	})
	if !(got >= exact && got <= 1.125*exact) {
		t.Errorf("%.6g, and an observer who knows the paths learns %.6g", got, exact)
	}
}

// Randomised response is no Gaussian; as the Gaussian that tells no less, three runs are never charged too little.
func TestRunsOfRandomisedResponseAreNotUndercharged(t *testing.T) {
	const each, delta = 0.4, 1e-4
	mu := privacy.PureMu(each)
	l := Gaussian(mu * mu)
	got := Sum(l, l, l).At(delta)
	p := 1 / (1 + math.Exp(-each))
	exact := exactly(delta, func(eps float64) (sum float64) {
		for k := range 4 {
			ways := []float64{1, 3, 3, 1}[k]
			a, b := ways*math.Pow(p, float64(k))*math.Pow(1-p, float64(3-k)), ways*math.Pow(1-p, float64(k))*math.Pow(p, float64(3-k))
			sum += max(0, a-math.Exp(eps)*b)
		}
		return sum
	})
	if !(got >= exact) {
		t.Errorf("%.6g, and three answers tell %.6g", got, exact)
	}
}

// What a run is charged for by itself is what its plan says, and a sum is no less than any of its parts, and no more than the sum of
// epsilons at the sum of deltas.
func TestSumsLieBetweenTheirPartsAndBasicComposition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) Loss {
			mu2 := rapid.Float64Range(0, 4).Draw(t, name)
			l := Gaussian(mu2)
			if rapid.Bool().Draw(t, name+" is a curve") {
				share := rapid.Float64Range(0, 1).Draw(t, name+" share")
				l = Curve(mu2, func(order float64) float64 { return share * order * mu2 / 2 })
			}
			l.Failure = rapid.SampledFrom([]float64{0, 1e-12}).Draw(t, name+" failure")
			l.Delta, l.Epsilon = 1e-6, privacy.EpsilonGaussian(math.Sqrt(mu2), 1e-6-l.Failure)
			return l
		}
		a, b := draw("a"), draw("b")
		sum, one, other := Sum(a, b), a.At(1e-6), b.At(1e-6)
		if one > a.Epsilon || sum.At(1e-6) < max(one, other)*(1-1e-9) || sum.At(2e-6) > a.Epsilon+b.Epsilon {
			t.Errorf("%g and %g come to %g, at twice the delta %g", one, other, sum.At(1e-6), sum.At(2e-6))
		}
		if worst, least := Worst(a, b).At(1e-6), Least(a, b).At(1e-6); worst < max(one, other)*(1-1e-9) || least > min(a.At(1e-6-1e-12), b.At(1e-6-1e-12))*(1+1e-9) {
			t.Errorf("of %g and %g the worst is %g, the least %g", one, other, worst, least)
		}
	})
}
