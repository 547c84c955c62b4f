package audit

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hearsay-dp/hearsay/privacy"
)

// A least mean exceeds the true one no more often than stated: of 2000 samples of 50 numbers at a failure of 0.05 no more than
// 6 standard deviations above 100 (fixed seed). It comes near with more numbers.
func TestLeastMeansFailAsRarelyAsStated(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, draw := range []func() float64{
		r.Float64,
		func() float64 { return float64(r.IntN(2)) },
		func() float64 { return math.Floor(r.Float64() + 0.03) },
	} {
		mean := 0.0
		for range 200_000 {
			mean += draw() / 200_000
		}
		wrong, drawn := 0, make([]float64, 50)
		for range 2000 {
			for i := range drawn {
				drawn[i] = draw()
			}
			if LeastMean(drawn, 0.05) > mean+0.002 {
				wrong++
			}
		}
		if wrong > 100+6*10 {
			t.Errorf("of 2000 least means %d are above the true one", wrong)
		}
		many := make([]float64, 100_000)
		for i := range many {
			many[i] = draw()
		}
		if least := LeastMean(many, 0.05); least < mean-0.01 {
			t.Errorf("a least mean of %g, the true one is %g", least, mean)
		}
	}
	if LeastMean([]float64{0, 0}, 0.1) != 0 || LeastMean([]float64{1}, 0.1) > 0.1+1e-9 {
		t.Error("nothing proves something, or one number nearly all")
	}
}

// What is proved of a Gaussian is below the truth, and most of it.
func TestEpsilonsOfRatios(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 3))
	const mu, runs, delta = 1.5, 20_000, 1e-2
	ratios := make([]float64, runs)
	for i := range ratios {
		ratios[i] = mu*r.NormFloat64() + mu*mu/2
	}
	eps := Epsilon(runs, func(i int, eps float64) float64 { return max(0, -math.Expm1(eps-ratios[i])) }, delta, 1e-6)
	if truth := privacy.EpsilonGaussian(mu, delta); !(eps > 0.7*truth && eps <= truth) {
		t.Errorf("proved %g at delta %g, the truth is %g", eps, delta, truth)
	}
	if eps := Epsilon(100, func(int, float64) float64 { return 0 }, delta, 1e-6); eps != 0 {
		t.Errorf("from nothing %g was proved", eps)
	}
}
