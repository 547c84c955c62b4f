package graph

import (
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// Matchings pairs the nodes anew in every turn: a perfect matching drawn
// uniformly among all of them, independently of other turns (NewMatchings) or so that
// all meet before two meet again (NewRoundRobin), or a matching of a graph
// (NewMatchingsOf). The two nodes of a pair take the mean of their values. Of
// an odd number of nodes one, each as likely, keeps its value.
//
// A turn's pairs are a function of the seed and the turn alone, so whoever knows
// the seed, and the graph, knows who meets whom, in O(n) a turn and without the
// turns before.
type Matchings struct {
	seed   uint64
	stream step.Stream
	robin  *robin         // nil: turns are independent
	of     Sequence       // nil: anybody may meet
	from   *sparse.Matrix // the matrix that edges are of
	edges  [][2]int32     // u < v

	known    bool
	turn     step.Turn
	partner  []int32 // of every node at turn; itself: none
	shuffled []int32
	row      [2]int32
}

// nobody is the node of streams that belong to a whole turn: none that a node
// draws from at the same seed, as dropout does.
const nobody step.NodeID = -1

// NewMatchings pairs n >= 1 nodes.
func NewMatchings(n int, seed uint64) *Matchings {
	if n < 1 {
		panic("graph: matchings of no node")
	}
	return &Matchings{seed: seed, partner: make([]int32, n), shuffled: make([]int32, n)}
}

// NewMatchingsOf pairs neighbours in the graphs of s: the edges of a turn come in a
// random order, each as likely, and pair their ends if both are free still. So no two
// nodes that are left over are neighbours. Weights of s do not matter. On a complete
// graph that does not change these are the matchings of NewRoundRobin.
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

// Partner is who v meets at turn t, v itself if nobody.
func (m *Matchings) Partner(v step.NodeID, t step.Turn) step.NodeID {
	if !m.known || m.turn != t {
		m.draw(t)
	}
	return step.NodeID(m.partner[v])
}

// draw pairs neighbours in a random order of the nodes; as many orders give one
// matching as another.
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

// drawEdges pairs the ends of edges in a random order.
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

// Active implements Sequence: all nodes, so that the one that is left over of an
// odd number takes its local step too.
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
