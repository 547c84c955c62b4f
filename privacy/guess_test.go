package privacy

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// No view of an epsilon at a delta lets a guess be right more often than Guess says, and a Gaussian one exactly as often as
// GuessGaussian: (1 + delta at eps 0)/2, which never is more.
func TestGuessesAreRightNoMoreOftenThanSaid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mu, delta := math.Exp(rapid.Float64Range(-5, 2).Draw(t, "ln mu")), math.Exp(rapid.Float64Range(-30, -0.7).Draw(t, "ln delta"))
		exact := (1 + math.Exp(LogDeltaGaussian(mu, 0))) / 2
		if got := GuessGaussian(mu); math.Abs(got-exact) > 1e-12 {
			t.Fatalf("mu %v: right with %v, by delta at 0 %v", mu, got, exact)
		}
		if bound := Guess(EpsilonGaussian(mu, delta), delta); bound < exact-1e-12 {
			t.Fatalf("mu %v at delta %v: at most %v, and %v is attained", mu, delta, bound, exact)
		}
	})
	// The mechanism that attains Guess: it tells all with probability delta, else a bit that is right with odds e^eps.
	for _, eps := range []float64{0, 0.5, 1, 3} {
		const delta = 0.01
		if want := delta + (1-delta)*math.Exp(eps)/(1+math.Exp(eps)); math.Abs(Guess(eps, delta)-want) > 1e-12 {
			t.Errorf("eps %v: %v, want %v", eps, Guess(eps, delta), want)
		}
	}
	if Guess(math.Inf(1), 0) != 1 || Guess(0, 0) != 0.5 || GuessGaussian(0) != 0.5 {
		t.Error("ends are wrong")
	}
}
