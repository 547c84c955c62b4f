package graph

import (
	"slices"

	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// A Sequence holds the gossip weights of every turn. Its results are valid until
// the next call. A Sequence caches the last turn and is not safe for concurrent
// use.
type Sequence interface {
	// Len returns the number of nodes.
	Len() int
	// Matrix returns the gossip matrix W_t of turn t.
	Matrix(t step.Turn) *sparse.Matrix
	// Row returns row v of W_t: the nodes that v averages with, ascending, v
	// among them, and their weights. A node alone in its row receives nothing at
	// turn t.
	Row(v step.NodeID, t step.Turn) (nodes []int32, weights []float64)
	// Active returns the nodes that take part in turn t, ascending. nil means all
	// nodes.
	Active(t step.Turn) []step.NodeID
}

// Fixed returns the sequence with the matrix w at every turn, balanced.
func Fixed(w *sparse.Matrix) Sequence { return fixed{balance(w)} }

// balance returns w with its diagonal changed so that every row sums to 1 as
// exactly as floating point allows. Otherwise the rounding of the weights, the
// same at every turn, would make the mean drift.
func balance(w *sparse.Matrix) *sparse.Matrix {
	values := slices.Clone(w.Values)
	for v := range w.N {
		columns, row := w.Row(v)
		at, found := slices.BinarySearch(columns, int32(v))
		if !found || row[at] == 0 {
			continue
		}
		high, low := 1.0, 0.0 // what is left of 1, to twice the precision
		for k, weight := range row {
			if k == at {
				continue
			}
			next := high - weight
			low += (high - next) - weight
			high = next
		}
		values[w.Offsets[v]+at] = max(0, high+low)
	}
	return &sparse.Matrix{N: w.N, Offsets: w.Offsets, Columns: w.Columns, Values: values}
}

type fixed struct{ w *sparse.Matrix }

func (f fixed) Len() int                                            { return f.w.N }
func (f fixed) Matrix(step.Turn) *sparse.Matrix                     { return f.w }
func (f fixed) Row(v step.NodeID, _ step.Turn) ([]int32, []float64) { return f.w.Row(int(v)) }
func (f fixed) Active(step.Turn) []step.NodeID                      { return nil }

// Constant returns the matrix of every turn. Only constant sequences have this
// method.
func (f fixed) Constant() *sparse.Matrix { return f.w }

// varying draws a new matrix whenever the turn changes.
type varying struct {
	n    int
	draw func(t step.Turn) (*sparse.Matrix, []step.NodeID)

	known  bool
	turn   step.Turn
	w      *sparse.Matrix
	active []step.NodeID
}

// Varying returns a sequence of matrices of order n. draw returns the matrix and
// the active nodes of a turn, as Sequence does. It is called when the turn
// changes. The matrices are balanced.
func Varying(n int, draw func(t step.Turn) (*sparse.Matrix, []step.NodeID)) Sequence {
	return &varying{n: n, draw: draw}
}

func (s *varying) at(t step.Turn) *varying {
	if !s.known || s.turn != t {
		w, active := s.draw(t)
		s.w, s.active = balance(w), active
		s.known, s.turn = true, t
	}
	return s
}

func (s *varying) Len() int                          { return s.n }
func (s *varying) Matrix(t step.Turn) *sparse.Matrix { return s.at(t).w }
func (s *varying) Active(t step.Turn) []step.NodeID  { return s.at(t).active }
func (s *varying) Row(v step.NodeID, t step.Turn) ([]int32, []float64) {
	return s.at(t).w.Row(int(v))
}

// Dropout removes each node from each turn with probability p, independently (002
// Appendix C.8.6). The remaining nodes average over the remaining edges of s,
// with hamilton weights of the remaining graph. A removed node keeps its value.
func Dropout(s Sequence, p float64, seed uint64) Sequence {
	d := &dropout{of: s, p: p, seed: seed, there: make([]bool, s.Len()), degree: make([]int, s.Len())}
	return Varying(s.Len(), d.draw)
}

// Missing removes each node from each round of so many turns with probability p, but at most most nodes from a round:
// if more are drawn, those with the lowest draws. The remaining nodes average as under Dropout, and as in s if all remain.
func Missing(s Sequence, p float64, most, turns int, seed uint64) Sequence {
	d := &dropout{of: s, p: p, most: most, seed: seed, there: make([]bool, s.Len()), degree: make([]int, s.Len())}
	return &rounds{Varying(s.Len(), d.draw), step.Turn(turns)}
}

// rounds has the matrix of turn t in all turns of round t.
type rounds struct {
	of    Sequence
	turns step.Turn
}

func (r *rounds) Len() int                                            { return r.of.Len() }
func (r *rounds) Matrix(t step.Turn) *sparse.Matrix                   { return r.of.Matrix(t / r.turns) }
func (r *rounds) Row(v step.NodeID, t step.Turn) ([]int32, []float64) { return r.of.Row(v, t/r.turns) }
func (r *rounds) Active(t step.Turn) []step.NodeID                    { return r.of.Active(t / r.turns) }

type dropout struct {
	of     Sequence
	p      float64
	most   int // nodes that are away in a turn; 0: any number
	seed   uint64
	there  []bool
	degree []int
	stream step.Stream
}

func (d *dropout) draw(t step.Turn) (*sparse.Matrix, []step.NodeID) {
	p := d.p
	if d.most > 0 {
		p = d.highest(t)
	}
	active := []step.NodeID{}
	for v := range d.there {
		if d.there[v] = d.drawn(v, t) >= p; d.there[v] {
			active = append(active, step.NodeID(v))
		}
	}
	if d.most > 0 && len(active) == len(d.there) {
		return d.of.Matrix(t), nil
	}
	whole := d.of.Matrix(t)
	for v := range d.degree {
		d.degree[v] = 0
		d.eachLeft(whole, v, func(int32) { d.degree[v]++ })
	}
	return d.weigh(whole), active
}

// drawn returns the draw of a node in a turn, which is away if it is low.
func (d *dropout) drawn(v int, t step.Turn) float64 {
	return d.stream.At(d.seed, step.NodeID(v), t, 0, step.Topology).Float64()
}

// highest returns the number at most p below which at most most nodes have their draws.
func (d *dropout) highest(t step.Turn) float64 {
	draws := make([]float64, len(d.there))
	for v := range draws {
		draws[v] = d.drawn(v, t)
	}
	slices.Sort(draws)
	if d.most < len(draws) {
		return min(d.p, draws[d.most])
	}
	return d.p
}

// eachLeft calls do with the neighbours of v in w that are present, if v is.
func (d *dropout) eachLeft(w *sparse.Matrix, v int, do func(u int32)) {
	if !d.there[v] {
		return
	}
	columns, _ := w.Row(v)
	for _, u := range columns {
		if int(u) != v && d.there[u] {
			do(u)
		}
	}
}

// weigh gives hamilton weights to the remaining edges.
func (d *dropout) weigh(whole *sparse.Matrix) *sparse.Matrix {
	m := &sparse.Matrix{N: whole.N, Offsets: make([]int, 1, whole.N+1)}
	for v := range whole.N {
		start := len(m.Columns)
		stay := 1.0
		d.eachLeft(whole, v, func(u int32) {
			weight := 1 / float64(1+max(d.degree[v], d.degree[u]))
			stay -= weight
			m.Columns, m.Values = append(m.Columns, u), append(m.Values, weight)
		})
		at, _ := slices.BinarySearch(m.Columns[start:], int32(v))
		m.Columns, m.Values = slices.Insert(m.Columns, start+at, int32(v)), slices.Insert(m.Values, start+at, max(0, stay))
		m.Offsets = append(m.Offsets, len(m.Columns))
	}
	return m
}
