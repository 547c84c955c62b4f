package gossipview

import (
	"github.com/hearsay-dp/hearsay/sparse"
)

// ActivatedEdge is the matrix of a round of randomised gossip (002, Algorithm
// 6.2) in which a and b, two of n nodes, exchange their values and take the mean:
// I - (e_a - e_b)(e_a - e_b)'/2.
func ActivatedEdge(n, a, b int) *sparse.Matrix {
	if a == b || min(a, b) < 0 || max(a, b) >= n {
		panic("privacy/gossipview: an edge joins two different nodes")
	}
	m := &sparse.Matrix{N: n, Offsets: make([]int, 1, n+1)}
	for i := range n {
		if i == a || i == b {
			m.Columns = append(m.Columns, int32(min(a, b)), int32(max(a, b)))
			m.Values = append(m.Values, 0.5, 0.5)
		} else {
			m.Columns, m.Values = append(m.Columns, int32(i)), append(m.Values, 1)
		}
		m.Offsets = append(m.Offsets, len(m.Columns))
	}
	return m
}
