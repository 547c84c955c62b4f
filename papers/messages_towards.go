package papers

import (
	"slices"

	"github.com/hearsay-dp/hearsay/sparse"
)

// sumTowards adds 002 equation 6.3 to sums for one observer of gossip with a
// symmetric matrix: the loss of each node to v over the rounds. It computes
// only the rows of the powers of w that v receives.
func sumTowards(sums []float64, w *sparse.Matrix, v, rounds int) {
	heard, _ := w.Row(v)
	var from []int
	for _, s := range heard {
		if int(s) != v {
			from = append(from, int(s))
		}
	}
	cols := len(from)
	if cols == 0 {
		return
	}
	x, next := make([]float64, w.N*cols), make([]float64, w.N*cols)
	for c, s := range from {
		x[s*cols+c] = 1
	}
	norms := make([]float64, cols)
	for range rounds {
		clear(norms)
		for k, value := range x {
			norms[k%cols] += float64(value * value)
		}
		for k, value := range x {
			sums[k/cols] += value * value / norms[k%cols]
		}
		w.MulBlock(next, x, cols)
		x, next = next, x
	}
}

// ranked returns values from the largest to the smallest, over their rank.
func ranked(name string, values []float64) Line {
	sorted := slices.Sorted(slices.Values(values))
	slices.Reverse(sorted)
	l := thinned(name, sorted)
	for i := range l.X {
		l.X[i] /= float64(len(values))
	}
	return l
}

func constant(n int, value float64) []float64 {
	return slices.Repeat([]float64{value}, n)
}

func largest(values []float64) float64 { return slices.Max(values) }
