package audit

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hearsay-dp/hearsay/privacy"
)

// Randomised responses of eps are guessed right binomially often, which is the most that eps allows (Steinke, Nasr and Jagielski
// 2023). The bound is above eps with the probability that is stated at most, summed exactly, and with many coins is near eps.
func TestOneRunOfRandomisedResponses(t *testing.T) {
	for _, eps := range []float64{0, 0.5, 2} {
		for _, coins := range []int{16, 60, 200} {
			for _, failure := range []float64{0.05, 0.001} {
				q, wrong, mean := 1/(1+math.Exp(-eps)), 0.0, 0.0
				for v := range coins + 1 {
					p := privacy.BinomialTail(coins, q, v) - privacy.BinomialTail(coins, q, v+1)
					found := Guessed{coins, coins, v}.Epsilon(0, failure)
					if mean += p * found; found > eps {
						wrong += p
					}
				}
				if wrong > failure+1e-12 || coins == 200 && mean < eps-0.8 {
					t.Errorf("eps %g, %d coins: above it with probability %g, not %g; %g on average", eps, coins, wrong, failure, mean)
				}
			}
		}
	}
}

// Coins in Gaussian noise are guessed as their scores say. Bounds of eps and of the shift are false as rarely as stated, where the
// noise is as claimed, and noise that is too small by a factor of 3 is found.
func TestOneRunFailsAsRarelyAsStatedAndFindsSmallNoise(t *testing.T) {
	const audits, failure, delta, coins, mu = 80, 0.05, 1e-5, 200, 1.0
	truth := privacy.Metric{Delta: delta}.GaussianView(mu * mu)
	r := rand.New(rand.NewPCG(4, 5))
	play := func(mu float64) (scores []float64, heads []bool) {
		for range coins {
			head, sign := r.IntN(2) == 1, -1.0
			if head {
				sign = 1
			}
			scores, heads = append(scores, sign*mu/2+r.NormFloat64()), append(heads, head)
		}
		return scores, heads
	}
	wrong, shifted := 0, 0
	for range audits {
		scores, heads := play(mu)
		if _, eps := Best(scores, heads, delta, failure); eps > truth {
			wrong++
		}
		if Guess(scores, heads, coins).Shift(failure) > mu {
			shifted++
		}
	}
	if allowed := privacy.BinomialUpper(audits, failure, 1e-9); wrong > allowed || shifted > allowed {
		t.Errorf("%d and %d of %d bounds are false, at most %d should be", wrong, shifted, audits, allowed)
	}
	scores, heads := play(3 * mu)
	if all := Guess(scores, heads, coins); all.Shift(1e-3) <= mu {
		t.Errorf("%+v: a shift of %g is not above the claimed %g", all, all.Shift(1e-3), mu)
	}
	if _, eps := Best(scores, heads, delta, 1e-3); eps < 1.5 {
		t.Errorf("eps %g", eps)
	}
}

// More right guesses prove more, and of more coins that were not guessed less.
func TestOneRunGrowsWithRightGuesses(t *testing.T) {
	last := -1.0
	for v := 20; v <= 40; v++ {
		g := Guessed{40, 40, v}
		found := g.Epsilon(1e-6, 0.01)
		if found < last || (Guessed{80, 40, v}).Epsilon(1e-6, 0.01) > found || found > 0 && g.Epsilon(1e-3, 0.01) > found {
			t.Errorf("%+v: %g after %g", g, found, last)
		}
		last = found
	}
	if last < 1 || last > 5 {
		t.Errorf("forty of forty prove %g", last)
	}
}
