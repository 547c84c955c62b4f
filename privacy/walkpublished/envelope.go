package walkpublished

import (
	"sort"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// A line is the function intercept + slope*x.
type line struct{ slope, intercept float64 }

func (l line) at(x float64) float64 { return l.intercept + float64(l.slope*x) }

// An envelope is the minimum of some lines over x >= 0. lines[i] is lowest from starts[i] to
// starts[i+1]. starts[0] is 0, and slopes decrease.
type envelope struct {
	lines  []line
	starts []float64
}

// lowerEnvelope returns the minimum of lines, which must be in order of decreasing slope. It drops
// the lines that are nowhere lowest on x >= 0.
func lowerEnvelope(lines []line) envelope {
	var e envelope
	for _, l := range lines {
		start := 0.0
		for k := len(e.lines) - 1; k >= 0; k-- {
			start = crossing(e.lines[k], l)
			if start > e.starts[k] {
				break
			}
			e.lines, e.starts = e.lines[:k], e.starts[:k]
			start = 0
		}
		if !math.IsInf(start, 1) {
			e.lines, e.starts = append(e.lines, l), append(e.starts, start)
		}
	}
	return e
}

// crossing returns the x at which b, whose slope is not larger, falls below a.
func crossing(a, b line) float64 {
	if b.intercept <= a.intercept {
		return 0
	}
	return (b.intercept - a.intercept) / (a.slope - b.slope) // +Inf when parallel
}

// at returns the minimum at x >= 0.
func (e envelope) at(x float64) float64 {
	k := sort.Search(len(e.starts), func(i int) bool { return e.starts[i] > x }) - 1
	return e.lines[k].at(x)
}

// sum adds the envelope over sorted[first:], which must increase. prefix[i] is the sum of the i
// smallest values.
func (e envelope) sum(sorted, prefix []float64, first int) float64 {
	total := 0.0
	for k, l := range e.lines {
		last := len(sorted)
		if k+1 < len(e.lines) {
			last = first + sort.SearchFloat64s(sorted[first:], e.starts[k+1])
		}
		total += float64(l.intercept*float64(last-first)) + float64(l.slope*(prefix[last]-prefix[first]))
		first = last
	}
	return total
}
