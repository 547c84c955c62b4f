package graph

import (
	"sort"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// Activations activates one edge a turn (002 Algorithm 6.2). The two ends take
// the mean of their values, and all other nodes wait. Edge {u,v} is drawn with
// probability proportional to W_uv.
type Activations struct {
	n     int
	edges [][2]int32 // u < v
	until []float64  // until[k]: the sum of the weights of edges 0..k
	seed  uint64

	stream step.Stream
	turn   step.Turn
	awake  [2]step.NodeID
	row    [2]int32
}

// NewActivations draws edges in proportion to the off-diagonal entries of w,
// which must be symmetric. It fails if there is no edge.
func NewActivations(w *sparse.Matrix, seed uint64) (*Activations, error) {
	a := &Activations{n: w.N, seed: seed, turn: -1}
	total := 0.0
	for u := range w.N {
		columns, values := w.Row(u)
		for k, v := range columns {
			if int(v) > u && values[k] > 0 {
				total += values[k]
				a.edges, a.until = append(a.edges, [2]int32{int32(u), v}), append(a.until, total)
			}
		}
	}
	if len(a.edges) == 0 {
		return nil, fault.New("there is no edge that could wake", "give a graph with at least one edge")
	}
	return a, nil
}

// Len implements Sequence.
func (a *Activations) Len() int { return a.n }

// Active implements Sequence. It returns the two ends of the active edge.
func (a *Activations) Active(t step.Turn) []step.NodeID {
	if a.turn != t {
		x := a.stream.At(a.seed, 0, t, 0, step.Topology).Float64() * a.until[len(a.until)-1]
		k := min(sort.SearchFloat64s(a.until, x), len(a.edges)-1)
		edge := a.edges[k]
		a.turn, a.row, a.awake = t, edge, [2]step.NodeID{step.NodeID(edge[0]), step.NodeID(edge[1])}
	}
	return a.awake[:]
}

var (
	halves = []float64{0.5, 0.5}
	whole  = []float64{1}
)

// Row implements Sequence.
func (a *Activations) Row(v step.NodeID, t step.Turn) ([]int32, []float64) {
	if ends := a.Active(t); v == ends[0] || v == ends[1] {
		return a.row[:], halves
	}
	return []int32{int32(v)}, whole
}

// Matrix implements Sequence; it writes n+2 entries.
func (a *Activations) Matrix(t step.Turn) *sparse.Matrix {
	m := &sparse.Matrix{N: a.n, Offsets: make([]int, 1, a.n+1), Columns: make([]int32, 0, a.n+2), Values: make([]float64, 0, a.n+2)}
	for v := range a.n {
		columns, values := a.Row(step.NodeID(v), t)
		m.Columns, m.Values = append(m.Columns, columns...), append(m.Values, values...)
		m.Offsets = append(m.Offsets, len(m.Columns))
	}
	return m
}

// Gap returns the spectral gap of the mean matrix of a turn, on which 002
// Theorem 6.4 rests. gap is the spectral gap of the matrix w. The mean of W_t
// is I - L/2, where L is the Laplacian of the edge probabilities. With total
// edge weight S its gap is therefore gap/(2S), half of lambda(p), the second
// smallest eigenvalue of L.
func (a *Activations) Gap(gap float64) float64 { return gap / (2 * a.until[len(a.until)-1]) }
