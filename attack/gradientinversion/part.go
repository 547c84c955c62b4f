package gradientinversion

import (
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// A part is a set of nodes whose inputs from other nodes are known, as far as they affect known sums of the part's messages.
// It is run without the rest of the run.
type part struct {
	dim   int
	nodes []int // ascending
	begin []float64
	turns []partTurn
	sums  []partSum // turn by turn
	want  []float64 // dim numbers for each of sums
}

// A partTurn is a turn of a part. Its nodes are numbered by their places.
type partTurn struct {
	entries []entry
	mix     *sparse.Matrix // among the nodes
	a, c    float64        // as Coefficients
	inflow  []float64      // known inputs from others, and from themselves where known, dim numbers each
	resets  []reset        // after it
}

// A reset is a known value of a node after a turn.
type reset struct {
	node int
	x    []float64
}

// A partSum is a known sum of messages of a part's nodes in a turn.
type partSum struct {
	turn    int
	nodes   []int // places
	weights []float64
	off     float64 // bound on its rounding
}

// part returns the part of nodes, ascending, without sums.
func (p *peeling) part(nodes []int) *part {
	k := p.knowledge
	q := &part{dim: p.dim, nodes: nodes, begin: k.begin(p.dim)}
	place := make([]int, k.Len())
	for u := range place {
		place[u] = -1
	}
	for i, u := range nodes {
		place[u] = i
	}
	for t := range p.entries {
		q.turns = append(q.turns, p.partTurn(nodes, place, t))
	}
	return q
}

func (p *peeling) partTurn(nodes, place []int, t int) partTurn {
	w := p.knowledge.weights.Matrix(step.Turn(t))
	turn := partTurn{mix: &sparse.Matrix{N: len(nodes), Offsets: make([]int, 1, len(nodes)+1)}, inflow: make([]float64, len(nodes)*p.dim)}
	turn.a, turn.c = p.knowledge.protocol.Coefficients(step.Turn(t))
	for _, e := range p.entries[t] {
		if e.node = place[e.node]; e.node >= 0 {
			turn.entries = append(turn.entries, e)
		}
	}
	for i, v := range nodes {
		columns, values := w.Row(v)
		for l, u := range columns {
			if sent := p.after(t, int(u)); sent.x != nil {
				sparse.Axpy(turn.inflow[i*p.dim:(i+1)*p.dim], turn.a*values[l], sent.x)
			} else if j := place[u]; j >= 0 {
				turn.mix.Columns, turn.mix.Values = append(turn.mix.Columns, int32(j)), append(turn.mix.Values, values[l])
			}
		}
		turn.mix.Offsets = append(turn.mix.Offsets, len(turn.mix.Columns))
		if t+1 < len(p.entries) && p.before(t+1, v).x != nil {
			turn.resets = append(turn.resets, reset{i, p.before(t+1, v).x})
		}
	}
	return turn
}

// carry is Knowledge.carry among the nodes of a part. If known is set it includes known values and inputs, and zeros
// otherwise.
func (q *part) carry(cols int, x []float64, known bool, add func(e entry, t int, row []float64), see func(t int, x []float64)) {
	previous := make([]float64, len(x))
	for t, turn := range q.turns {
		for _, e := range turn.entries {
			row := x[e.node*cols : (e.node+1)*cols]
			scale(row, e.keep)
			add(e, t, row)
		}
		see(t, x)
		turn.mix.ThreeTerm(previous, x, cols, turn.a, 0, turn.c)
		if known {
			sparse.Axpy(previous, 1, turn.inflow)
		}
		for _, r := range turn.resets {
			row := previous[r.node*cols : (r.node+1)*cols]
			if clear(row); known {
				copy(row, r.x)
			}
		}
		x, previous = previous, x
	}
}

// gather computes the sums of turn t, from number row on, of cols numbers a node in x, and returns the number of the next
// sum.
func (q *part) gather(dst, x []float64, cols, t, row int) int {
	for ; row < len(q.sums) && q.sums[row].turn == t; row++ {
		sum := dst[row*cols : (row+1)*cols]
		clear(sum)
		for l, i := range q.sums[row].nodes {
			sparse.Axpy(sum, q.sums[row].weights[l], x[i*cols:(i+1)*cols])
		}
	}
	return row
}
