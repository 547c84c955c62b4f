package flow

import (
	"slices"

	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// Unroll is the weights of rounds 0..T-1 of one turn each, as a Problem has them:
// one matrix if w is the same in all of them.
func Unroll(w schedule.Weights, rounds int) []*sparse.Matrix {
	var all []*sparse.Matrix
	changes := false
	for t := range step.Turn(rounds) {
		m := w.Matrix(t)
		if t > 0 && same(m, all[t-1]) {
			all = append(all, all[t-1])
			continue
		}
		changes = changes || t > 0
		all = append(all, &sparse.Matrix{
			N: m.N, Offsets: slices.Clone(m.Offsets), Columns: slices.Clone(m.Columns), Values: slices.Clone(m.Values),
		})
	}
	if !changes {
		return all[:1]
	}
	return all
}

func same(a, b *sparse.Matrix) bool {
	return a == b || a.N == b.N && slices.Equal(a.Offsets, b.Offsets) && slices.Equal(a.Columns, b.Columns) && slices.Equal(a.Values, b.Values)
}
