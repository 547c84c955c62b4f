package audit

import "github.com/hearsay-dp/hearsay/internal/math"

// LeastMean returns a lower confidence bound of the mean of independent numbers in [0, 1], which
// fails with probability at most failure. It is the least m for which a sample of such a mean is no
// less likely than failure (Hoeffding 1963, equation 2.1: the relative entropy of the two means is
// at most ln(1/failure)/n).
func LeastMean(drawn []float64, failure float64) float64 {
	mean := 0.0
	for _, x := range drawn {
		if !(x >= 0 && x <= 1) {
			panic("privacy/audit: a mean of numbers that are not in [0, 1]")
		}
		mean += x
	}
	if mean == 0 {
		return 0
	}
	mean /= float64(len(drawn))
	allowed := math.Log(1/failure) / float64(len(drawn))
	low, high := 0.0, mean
	for range 64 {
		mid := (low + high) / 2
		if entropy(mean, mid) > allowed {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}

// entropy returns the relative entropy of two coins, of probability p and q.
func entropy(p, q float64) float64 {
	part := func(p, q float64) float64 {
		if p == 0 {
			return 0
		}
		return p * math.Log(p/q)
	}
	return part(p, q) + part(1-p, 1-q)
}

// fractions lists the shares of the eps found on the first half of the runs that Epsilon tests on
// the second.
var fractions = []float64{1, 0.9, 0.75, 0.5, 0.25}

// Epsilon returns a lower bound of eps at delta: with probability at least 1-failure no smaller eps
// holds. shows returns a number in [0, 1] for a run, which falls in eps and whose mean is at most
// delta(eps). Runs must be independent. Epsilon returns 0 if nothing was proved.
//
// The candidates are chosen on the first half of the runs and tested on the second.
func Epsilon(runs int, shows func(run int, eps float64) float64, delta, failure float64) float64 {
	half := runs / 2
	proves := func(first, end int, eps, failure float64) bool {
		drawn := make([]float64, 0, end-first)
		for i := first; i < end; i++ {
			drawn = append(drawn, shows(i, eps))
		}
		return LeastMean(drawn, failure) > delta
	}
	each := failure / float64(len(fractions))
	low, high := 0.0, 1.0
	for proves(0, half, high, each) && high < 1e6 {
		low, high = high, 2*high
	}
	for high-low > 1e-3*high {
		if mid := (low + high) / 2; proves(0, half, mid, each) {
			low = mid
		} else {
			high = mid
		}
	}
	for _, f := range fractions {
		if low > 0 && proves(half, runs, f*low, each) {
			return f * low
		}
	}
	return 0
}
