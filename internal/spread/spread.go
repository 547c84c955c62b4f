// Package spread states how far apart the numbers of repeated runs lie, and where their mean would lie for ever more runs.
package spread

import (
	"fmt"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// Confidence is the confidence level of the intervals. If single runs are about normal, one interval in twenty misses the mean
// of ever more runs.
const Confidence = 0.95

// Moments returns the mean and the sample standard deviation. Both are NaN for no numbers. The deviation of one number is 0.
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

// Reach returns the half-width of Student's interval of the mean. It returns +Inf for fewer than two numbers.
func Reach(deviation float64, numbers int) float64 {
	return ReachOfOne(deviation, numbers, 1)
}

// ReachOfOne returns the half-width of one of several intervals that together hold at Confidence or more (Bonferroni).
func ReachOfOne(deviation float64, numbers, intervals int) float64 {
	if numbers < 2 {
		return math.Inf(1)
	}
	return distuv.StudentsT{Sigma: 1, Nu: float64(numbers - 1)}.Quantile(1-(1-Confidence)/float64(2*intervals)) * deviation / math.Sqrt(float64(numbers))
}

// Caution warns of intervals of two or three numbers, which are much wider than the numbers lie apart. It returns "" for more, and
// for one, which has no interval. intervals counts those that hold together at Confidence.
func Caution(numbers, intervals int) string {
	if numbers < 2 || numbers > 3 {
		return ""
	}
	return fmt.Sprintf("The %.3g %% interval of a mean of %d reaches %.1f times the standard deviation either way, because %d hardly show how far runs lie apart; of 5 it reaches %.1f times.",
		100*(1-(1-Confidence)/float64(intervals)), numbers, ReachOfOne(1, numbers, intervals), numbers, ReachOfOne(1, 5, intervals))
}

// OfShare returns the ends of Wilson's interval (1927) of a probability, of which n draws had this share.
func OfShare(share float64, n int) (low, high float64) {
	z, rows := distuv.UnitNormal.Quantile(1-(1-Confidence)/2), float64(n)
	scale := 1 + float64(z*z)/rows
	middle := (share + float64(z*z)/(2*rows)) / scale
	reach := float64(z / scale * math.Sqrt(share*(1-share)/rows+float64(z*z)/(4*rows*rows)))
	return max(0, middle-reach), min(1, middle+reach)
}
