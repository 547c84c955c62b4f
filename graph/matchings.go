package graph

import (
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// Matchings draws a new pairing of the nodes in every turn. NewMatchings draws a
// uniform perfect matching, independent of other turns. NewRoundRobin lets all nodes
// meet before two meet again. NewMatchingsOf draws a matching of a graph. The two
// nodes of a pair take the mean of their values. If the number of nodes is odd, one
// node, chosen uniformly, keeps its value.
//
// The pairs of a turn depend on the seed and the turn alone. Anyone who has the seed
// and the graph can compute them in O(n) a turn, without the turns before.
type Matchings struct {
	seed   uint64
	stream step.Stream
	robin  *robin         // nil: turns are independent
	of     Sequence       // nil: any two nodes may meet
	from   *sparse.Matrix // the matrix that edges was read from
	edges  [][2]int32     // u < v

	known    bool
	turn     step.Turn
	partner  []int32 // of every node at turn; the node itself if it has none
	shuffled []int32
	row      [2]int32
}

// nobody is the node of streams that belong to a whole turn. No node draws from that
// stream at the same seed, as dropout does from the nodes' streams.
const nobody step.NodeID = -1

// NewMatchings pairs n nodes. It panics if n < 1.
func NewMatchings(n int, seed uint64) *Matchings {
	if n < 1 {
		panic("graph: matchings of no node")
	}
	return &Matchings{seed: seed, partner: make([]int32, n), shuffled: make([]int32, n)}
}

// NewMatchingsOf pairs neighbours in the graphs of s. The edges of a turn come in a
// uniformly random order, and each pairs its ends if both are still free. So no two
// unpaired nodes are neighbours. The weights of s do not matter. On a constant
// complete graph the result is NewRoundRobin.
func NewMatchingsOf(s Sequence, seed uint64) *Matchings {
	if same, ok := s.(fixed); ok && len(same.w.Values) == s.Len()*s.Len() {
		return NewRoundRobin(s.Len(), seed)
	}
	m := NewMatchings(s.Len(), seed)
	m.of = s
	return m
}

// Len implements Sequence.
func (m *Matchings) Len() int { return len(m.partner) }

// Partner returns the node that v meets at turn t. It returns v itself if v meets no
// node.
func (m *Matchings) Partner(v step.NodeID, t step.Turn) step.NodeID {
	if !m.known || m.turn != t {
		m.draw(t)
	}
	return step.NodeID(m.partner[v])
}

// draw pairs neighbours in a random order of the nodes. Every matching comes from the
// same number of orders.
func (m *Matchings) draw(t step.Turn) {
	m.known, m.turn = true, t
	for v := range m.partner {
		m.partner[v] = int32(v)
	}
	switch {
	case m.robin != nil:
		m.drawRobin(t)
		return
	case m.of != nil:
		m.drawEdges(t)
		return
	}
	copy(m.shuffled, m.partner)
	r := m.stream.At(m.seed, nobody, t, 0, step.Topology)
	r.Shuffle(len(m.shuffled), func(i, j int) { m.shuffled[i], m.shuffled[j] = m.shuffled[j], m.shuffled[i] })
	for k := 0; k+1 < len(m.shuffled); k += 2 {
		u, v := m.shuffled[k], m.shuffled[k+1]
		m.partner[u], m.partner[v] = v, u
	}
}

// drawEdges draws the edges in a random order and pairs their free ends.
func (m *Matchings) drawEdges(t step.Turn) {
	if w := m.of.Matrix(t); w != m.from {
		m.from, m.edges = w, m.edges[:0]
	}
	if len(m.edges) == 0 {
		for u := range m.from.N {
			columns, _ := m.from.Row(u)
			for _, v := range columns {
				if int(v) > u {
					m.edges = append(m.edges, [2]int32{int32(u), v})
				}
			}
		}
	}
	r := m.stream.At(m.seed, nobody, t, 0, step.Topology)
	left := len(m.partner)
	m.shuffled = numbers(m.shuffled, len(m.edges))
	order := m.shuffled
	for k := 0; k < len(order) && left > 1; k++ {
		pick := k + r.IntN(len(order)-k)
		order[k], order[pick] = order[pick], order[k]
		if u, v := m.edges[order[k]][0], m.edges[order[k]][1]; m.partner[u] == u && m.partner[v] == v {
			m.partner[u], m.partner[v] = v, u
			left -= 2
		}
	}
}

// Active implements Sequence. It returns nil, all nodes, so that the unpaired node of
// an odd number also takes its local step.
func (m *Matchings) Active(step.Turn) []step.NodeID { return nil }

// Row implements Sequence.
func (m *Matchings) Row(v step.NodeID, t step.Turn) ([]int32, []float64) {
	u := int32(m.Partner(v, t))
	if u == int32(v) {
		m.row[0] = u
		return m.row[:1], whole
	}
	m.row = [2]int32{min(u, int32(v)), max(u, int32(v))}
	return m.row[:], halves
}

// Matrix implements Sequence; it writes 2n entries.
func (m *Matchings) Matrix(t step.Turn) *sparse.Matrix {
	n := m.Len()
	w := &sparse.Matrix{N: n, Offsets: make([]int, 1, n+1), Columns: make([]int32, 0, 2*n), Values: make([]float64, 0, 2*n)}
	for v := range step.NodeID(n) {
		columns, values := m.Row(v, t)
		w.Columns, w.Values = append(w.Columns, columns...), append(w.Values, values...)
		w.Offsets = append(w.Offsets, len(w.Columns))
	}
	return w
}
