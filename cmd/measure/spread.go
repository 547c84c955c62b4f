package main

import (
	"fmt"
	"math"
	"slices"
)

// A summary is the median of measurements with a 95 % confidence interval for the true median. The interval runs between two order
// statistics, as in benchstat, and holds for every distribution. Fewer than six measurements have no such interval, and theirs
// runs from the least to the largest.
type summary struct {
	median, low, high float64
	n                 int
}

// covering is the confidence of the interval.
const covering = 0.95

func summarise(values []float64) summary {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	s := summary{median: (sorted[(n-1)/2] + sorted[n/2]) / 2, low: sorted[0], high: sorted[n-1], n: n}
	// The true median is between number k+1 and number n-k unless at most k of n are on one side of it.
	var tail float64
	for k := 0; k < n/2; k++ {
		tail += math.Exp(logChoose(n, k) - float64(n)*math.Ln2)
		if 1-2*tail < covering {
			break
		}
		s.low, s.high = sorted[k], sorted[n-1-k]
	}
	return s
}

func logChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}

// spread writes the distance from the median to the further end of the interval, such as "± 3 %".
func (s summary) spread() string {
	if s.n == 1 {
		return "(once)"
	}
	far := max(s.high-s.median, s.median-s.low) / s.median
	if far == 0 {
		return "± 0 %"
	}
	if far < 0.095 {
		return fmt.Sprintf("± %.1g %%", 100*far)
	}
	return fmt.Sprintf("± %.0f %%", 100*far)
}

// ratios returns the factors by which these are faster or smaller than those, measurement by measurement of one sitting. It
// divides these by those if rate is true, as for "hops/s", and those by these for times and sizes.
func ratios(these, those []float64, rate bool) []float64 {
	var r []float64
	for k := range min(len(these), len(those)) {
		if rate {
			r = append(r, these[k]/those[k])
		} else {
			r = append(r, those[k]/these[k])
		}
	}
	return r
}
