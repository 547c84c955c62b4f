package flow

import (
	"slices"

	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// unroll returns the matrices of all turns, or the one of all if they do not
// change. It returns an error above most entries.
func unroll(w schedule.Weights, turns step.Turn, most int) (all []*sparse.Matrix, err error) {
	entries, changes := 0, false
	for t := range turns {
		m := w.Matrix(t)
		if t > 0 && same(m, all[t-1]) {
			all = append(all, all[t-1])
			continue
		}
		if entries += len(m.Values) + m.N; entries > most {
			return nil, tooLong(t, turns)
		}
		changes = changes || t > 0
		all = append(all, &sparse.Matrix{
			N: m.N, Offsets: slices.Clone(m.Offsets), Columns: slices.Clone(m.Columns), Values: slices.Clone(m.Values),
		})
	}
	if !changes {
		return all[:1], nil
	}
	return all, nil
}

func same(a, b *sparse.Matrix) bool {
	return a == b || a.N == b.N && slices.Equal(a.Offsets, b.Offsets) && slices.Equal(a.Columns, b.Columns) && slices.Equal(a.Values, b.Values)
}
