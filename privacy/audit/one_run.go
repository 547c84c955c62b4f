package audit

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// An audit of one run guesses coins. Each of m canaries is one of two data by a fair coin of its own, and whoever sees a view
// guesses the coins that it is surest of.
//
// Let the view be (eps, delta)-private in each coin, and N the number of right guesses among r. Given all coins but that of
// canary j, the event that j is guessed right and N >= t is, with coin j turned, the event that j is guessed wrong and N >= t-1.
// Averaged over j, with g(x) the least probability that an event may have after a coin is turned if it had x before,
//
//	sum over i >= t-1 of (r-i) p_i  >=  m g( (sum over i >= t of i p_i)/m ),   p_i = P(N = i),
//
// because g is convex (Mahloujifar, Melis and Chaudhuri 2025; of pure privacy Steinke, Nasr and Jagielski 2023). With P_t the
// probability of N >= t this reads
//
//	(r-t+1) P_(t-1)  >=  S + P_t + m g( (t P_t + S)/m ),   S = sum over i > t of P_i,
//
// whose right side grows in every P_i. So the least P_0 that goes with P_v = p follows turn by turn from P_v = p and P_i = 0
// beyond it. If that is above 1, N >= v has a probability below p.

// Guessed counts guesses of coins from one view.
type Guessed struct {
	Coins int `json:"coins"` // canaries
	Made  int `json:"made"`  // guesses
	Right int `json:"right"`
}

// Epsilon returns the largest number that is refuted: no view that is (eps, delta)-private in every coin is guessed so well with
// probability failure, for any eps below it.
func (g Guessed) Epsilon(delta, failure float64) float64 {
	refuted := func(eps float64) bool {
		grow := math.Exp(eps)
		return g.rarer(failure, func(x float64) float64 { return math.Max(0, math.Max((x-delta)/grow, 1-delta-float64(grow*(1-x)))) })
	}
	return largest(refuted, mostEpsilon)
}

// mostEpsilon is the largest loss that one run is asked to refute.
const mostEpsilon = 50

// Shift returns the largest shift over noise that is refuted, of all guesses together. It is for views in which each coin is
// hidden by noise of its own: the log likelihood ratios of coins then are no better than independent Gaussians, so that right
// guesses are at most binomial with probability Phi(mu/2).
func (g Guessed) Shift(failure float64) float64 {
	low, _ := proportion(g.Right, g.Made, failure)
	if low <= 0.5 {
		return 0
	}
	return 2 * math.NormalQuantile(low)
}

// rarer reports whether so many right guesses have a probability below p, for views in which an event of probability x has at
// least probability g(x) after a coin is turned.
func (g Guessed) rarer(p float64, turned func(x float64) float64) bool {
	m, tail, beyond := float64(g.Coins), p, 0.0
	for t := g.Right; t >= 1; t-- {
		sought := float64(float64(t)*tail) + beyond
		if sought > m {
			return true
		}
		next := (beyond + tail + float64(m*turned(sought/m))) / float64(g.Made-t+1)
		beyond += tail
		if tail = math.Max(tail, next); tail > 1+1e-9 {
			return true
		}
	}
	return false
}

// largest returns a number up to most at which a decreasing predicate holds, as large as bisection finds it; 0 if there is none.
func largest(holds func(float64) bool, most float64) float64 {
	low, high := 0.0, most
	for range 50 {
		if mid := (low + high) / 2; holds(mid) {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}

// FewestCoins is the least number of canaries of an audit. Fewer prove nothing even if all are guessed right.
const FewestCoins = 16

// Ladder returns the numbers of guesses that an audit tries: all, and half as many again and again.
func Ladder(coins int) (made []int) {
	for r := coins; r >= min(coins, FewestCoins); r /= 2 {
		made = append(made, r)
	}
	return made
}

// Best guesses the coins of largest score, of as many as a ladder says, and returns the guesses that refute most, with the eps.
// The eps is wrong with probability at most failure.
func Best(scores []float64, coins []bool, delta, failure float64) (best Guessed, eps float64) {
	ladder := Ladder(len(coins))
	for k, made := range ladder {
		g := Guess(scores, coins, made)
		if found := g.Epsilon(delta, failure/float64(len(ladder))); k == 0 || found > eps {
			best, eps = g, found
		}
	}
	return best, eps
}

// Guess guesses the made coins of largest score. Positive scores guess true.
func Guess(scores []float64, coins []bool, made int) Guessed {
	g, order := Guessed{Coins: len(coins), Made: made}, make([]int, len(coins))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(math.Abs(scores[j]), math.Abs(scores[i])) })
	for _, i := range order[:made] {
		if (scores[i] > 0) == coins[i] {
			g.Right++
		}
	}
	return g
}

// CheckOneRun refuses too few canaries and confidences that are none.
func CheckOneRun(coins int, confidence float64) error {
	switch {
	case !(confidence > 0 && confidence < 1):
		return fault.New(fmt.Sprintf("confidence %g is not between 0 and 1", confidence), "give a confidence such as 0.99")
	case coins < FewestCoins:
		return fault.New(fmt.Sprintf("%d canaries prove nothing in one run", coins), fmt.Sprintf("audit a run in which %d nodes or more hold data", FewestCoins))
	}
	return nil
}
