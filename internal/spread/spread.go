// Package spread says how far numbers of repeated runs lie apart, and where the mean of ever more of them is likely to be.
package spread

import (
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// Confidence is that of the intervals: one in twenty misses the mean that ever more runs would come to, where single runs are
// about normal.
const Confidence = 0.95

// Moments returns the mean and the sample standard deviation; NaN of nothing, a deviation of 0 of one number.
func Moments(of []float64) (mean, deviation float64) {
	if len(of) == 0 {
		return math.NaN(), math.NaN()
	}
	square := 0.0
	for i, x := range of {
		delta := x - mean
		mean += delta / float64(i+1)
		square += float64(delta * (x - mean))
	}
	return mean, math.Sqrt(square / math.Max(1, float64(len(of)-1)))
}

// Reach returns how far Student's interval of the mean goes to either side; infinite of fewer than two numbers.
func Reach(deviation float64, numbers int) float64 {
	return ReachOfOne(deviation, numbers, 1)
}

// ReachOfOne returns Reach of one of several intervals that all hold together at Confidence or more (Bonferroni).
func ReachOfOne(deviation float64, numbers, intervals int) float64 {
	if numbers < 2 {
		return math.Inf(1)
	}
	return distuv.StudentsT{Sigma: 1, Nu: float64(numbers - 1)}.Quantile(1-(1-Confidence)/float64(2*intervals)) * deviation / math.Sqrt(float64(numbers))
}
