package graph

import (
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// A cycle holds one matrix a turn and repeats from the first.
type cycle []*sparse.Matrix

// Cycle returns the sequence that uses one matrix a turn, balanced, and begins again after the last. all
// must hold at least one matrix, and all must be of the same order.
func Cycle(all []*sparse.Matrix) Sequence {
	c := make(cycle, len(all))
	for i, w := range all {
		c[i] = balance(w)
	}
	return c
}

func (c cycle) Len() int                          { return c[0].N }
func (c cycle) Matrix(t step.Turn) *sparse.Matrix { return c[int(t)%len(c)] }
func (c cycle) Active(step.Turn) []step.NodeID    { return nil }
func (c cycle) Row(v step.NodeID, t step.Turn) ([]int32, []float64) {
	return c.Matrix(t).Row(int(v))
}
