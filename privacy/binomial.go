package privacy

import (
	"fmt"
	"sort"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// BinomialTail returns P(X >= k) for X binomial of trials and p in [0, 1]. It
// uses the incomplete beta function, with relative precision down to the
// smallest float.
func BinomialTail(trials int, p float64, k int) float64 {
	switch {
	case k <= 0:
		return 1
	case k > trials || p == 0:
		return 0
	case p == 1:
		return 1
	}
	return math.BetaBelow(float64(k), float64(trials-k+1), p)
}

// BinomialUpper returns the smallest number that a binomial count exceeds with
// probability at most delta. It is exact, where Chernoff's bound is out of its
// range or wasteful. trials >= 0, 0 <= p <= 1, 0 < delta < 1.
func BinomialUpper(trials int, p, delta float64) int {
	return sort.Search(trials, func(k int) bool { return BinomialTail(trials, p, k+1) <= delta })
}

// ChernoffUpper returns the bound of the papers' proofs (002, section D.1) on a
// binomial count of the given mean: mean + sqrt(3 mean ln(1/delta)), exceeded
// with probability at most delta. It returns an error if the relative deviation
// sqrt(3 ln(1/delta)/mean) is above 1, because the inequality behind the bound
// does not hold there.
func ChernoffUpper(mean, delta float64) (float64, error) {
	if deviation := math.Sqrt(-3 * math.Log(delta) / mean); !(deviation <= 1) {
		return 0, fault.New(
			fmt.Sprintf("the published Chernoff bound needs a relative deviation of at most 1: a mean count of %g at delta %g needs %.3g",
				mean, delta, deviation),
			"take more steps or a larger delta, or use the exact binomial tail")
	}
	return mean + math.Sqrt(-3*mean*math.Log(delta)), nil
}

// CountUpper returns ChernoffUpper where it holds and BinomialUpper elsewhere.
// how names the bound used.
func CountUpper(trials int, p, delta float64) (count float64, how string) {
	if count, err := ChernoffUpper(float64(trials)*p, delta); err == nil {
		return count, "Chernoff"
	}
	return float64(BinomialUpper(trials, p, delta)), "the exact binomial tail, as Chernoff is out of its range"
}

// LogBinomial returns ln P(X = k) for X binomial of trials and p in (0, 1).
func LogBinomial(trials int, p float64, k int) float64 {
	n, j := float64(trials), float64(k)
	all, _ := math.Lgamma(n + 1)
	in, _ := math.Lgamma(j + 1)
	out, _ := math.Lgamma(n - j + 1)
	return all - in - out + float64(j*math.Log(p)) + float64((n-j)*math.Log1p(-p))
}
