package walkpath

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/privacy"
)

// A law's guess is right no less often than on the paths themselves, each a Gaussian view, and no more often than the local
// loss allows; the largest of all pairs is that of some pair, by laws and by moments.
func TestGuessOfLawsBoundsThatOfPaths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawConnected(t)
		sigma := rapid.SampledFrom([]float64{0.5, 2, 20}).Draw(t, "sigma")
		moments, err := w.Moments(1)
		if err != nil {
			t.Fatal(err)
		}
		worst, attained, local := 0.5, 0.0, privacy.GuessGaussian(math.Sqrt(float64(w.Most()))/sigma)
		for u := range w.Nodes {
			for v := range w.Nodes {
				if u == v {
					continue
				}
				l, err := w.Law(u, v)
				if err != nil {
					t.Fatal(err)
				}
				bound, paths, rest := l.Guess(sigma, 1e-6), 0.0, 1.0
				if exact := w.exactLaw(u, v, false); exact != nil {
					for i, p := range exact.Weights {
						paths, rest = paths+p*privacy.GuessGaussian(math.Sqrt(exact.Energies[i])/sigma), rest-p
					}
					paths += rest / 2
				}
				if bound < paths-1e-9 || bound > local+1e-12 {
					t.Fatalf("(%d, %d): at most %v, paths attain %v and all together %v", u, v, bound, paths, local)
				}
				worst, attained = max(worst, bound), max(attained, paths)
			}
		}
		if got := moments.Guess(sigma); got < attained-1e-6 || got > local+1e-12 {
			t.Fatalf("by moments at most %v, paths attain %v, all together %v", got, attained, local)
		}
		laws, err := w.Laws(EveryPair(w.Nodes), 1)
		if err != nil {
			t.Fatal(err)
		}
		if got := laws.Guess(sigma, 1e-6); math.Abs(got-worst) > 1e-9 {
			t.Fatalf("the worst of all laws %v, of each %v", got, worst)
		}
	})
}
