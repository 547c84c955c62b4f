package privacy

import (
	"math"
	"testing"
)

// A Gaussian of PureMu is no more private than randomised response of eps at any delta,
// and as private where errors are alike.
func TestPureMuCoversRandomisedResponse(t *testing.T) {
	for _, eps := range []float64{1e-3, 0.1, 1, 3, 8, 20} {
		mu := PureMu(eps)
		for k := range 40 {
			at := eps * float64(k) / 30
			truth := 1 / (1 + math.Exp(-eps))
			delta := max(0, truth-math.Exp(at)*(1-truth)) // of a response among two values
			if got := math.Exp(LogDeltaGaussian(mu, at)); got < delta*(1-1e-9) {
				t.Errorf("eps %g: at %g the Gaussian has delta %g, the response %g", eps, at, got, delta)
			}
		}
		// Smaller does not do: at eps' = 0 the response tells apart tanh(eps/2).
		if got, want := math.Exp(LogDeltaGaussian(mu, 0)), math.Tanh(eps/2); math.Abs(got-want) > 1e-9 {
			t.Errorf("eps %g: at 0 the Gaussian has delta %g, the response %g", eps, got, want)
		}
	}
	if PureMu(0) != 0 || !math.IsInf(PureMu(math.Inf(1)), 1) {
		t.Error("ends")
	}
}
