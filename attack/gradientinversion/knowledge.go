package gradientinversion

import (
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/algo/gossip"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// A Knowledge holds the attackers' knowledge of a run before it runs: the weights of all
// additions of nodes in the messages that the attackers receive.
type Knowledge struct {
	protocol  *gossip.Protocol
	weights   gossip.Weights
	attackers []int
	attacker  []bool
	rows      []Row
}

// A Row is a message as a row of the knowledge matrix: the value that Node sends in Turn. All
// its receivers get the same.
type Row struct {
	Turn step.Turn
	Node int
}

// MostRows is the largest number of messages that attackers solve for.
const MostRows = 1 << 18

// NewKnowledge returns the knowledge of attackers, distinct nodes and at least one, who know
// the protocol and the weights of every turn. It keeps references to both. It returns an
// error for pairwise noise, memory and epochs.
func NewKnowledge(p *gossip.Protocol, w gossip.Weights, attackers []int) (*Knowledge, error) {
	k := &Knowledge{protocol: p, weights: w, attackers: slices.Clone(attackers), attacker: make([]bool, p.Nodes)}
	if len(attackers) == 0 {
		return nil, fault.New("there is no attacker", "name at least one node")
	}
	for _, a := range attackers {
		if a < 0 || a >= p.Nodes || k.attacker[a] {
			return nil, fault.New(fmt.Sprintf("attacker %d: is no node of 0 to %d, or is named twice", a, p.Nodes-1), "name different nodes of the graph")
		}
		k.attacker[a] = true
	}
	if p.Pairwise > 0 {
		return nil, fault.New("algorithm.pairwise: this attack knows no noise that cancels between neighbours", "attack the same run with pairwise: 0, which hides less")
	}
	if p.Memory != nil || p.Epoch > 1 {
		return nil, fault.New("algorithm: this attack knows neither noise that remembers earlier steps nor batches that take turns", "attack the same run without memory and epoch")
	}
	for t := range p.Turns() {
		for _, v := range k.hear(t) {
			k.rows = append(k.rows, Row{t, v})
		}
		if len(k.rows) > MostRows {
			return nil, fault.New(fmt.Sprintf("attackers receive more than %d messages", MostRows), "look at fewer rounds, or at fewer attackers")
		}
	}
	return k, nil
}

// hear returns, ascending and without the attackers, the nodes that attackers receive from in
// a turn.
func (k *Knowledge) hear(t step.Turn) (nodes []int) {
	for _, a := range k.attackers {
		row, _ := k.weights.Row(step.NodeID(a), t)
		for _, v := range row {
			if !k.attacker[v] {
				nodes = append(nodes, int(v))
			}
		}
	}
	slices.Sort(nodes)
	return slices.Compact(nodes)
}

// Rows returns the messages, turn by turn and ascending in each.
func (k *Knowledge) Rows() []Row { return k.rows }

// Len returns the number of nodes.
func (k *Knowledge) Len() int { return k.protocol.Nodes }

// Targets returns all nodes but the attackers, ascending.
func (k *Knowledge) Targets() (nodes []int) {
	for v, attacks := range k.attacker {
		if !attacks {
			nodes = append(nodes, v)
		}
	}
	return nodes
}

// An entry is a node that adds to its value before a turn: its gradient if it contributes,
// and noise in any case.
type entry struct {
	node        int
	rate        float64 // step size, the factor of both
	keep        float64 // factor of its value before that: 1 without an L2 penalty
	contributes bool
}

// entries returns the entries of turn t, of all nodes. used counts contributions, and entries
// updates it.
func (k *Knowledge) entries(dst []entry, t step.Turn, used []int) []entry {
	p := k.protocol
	first := k.first(t)
	rate := p.StepSize.At(k.round(t))
	keep := 1.0
	if first {
		keep = 1 - float64(rate*p.Objective.L2)
	}
	dst = dst[:0]
	p.EachBeginner(k.weights, t, func(v step.NodeID) {
		e := entry{node: int(v), rate: rate, keep: keep}
		if first && (p.Cap == 0 || used[v] < p.Cap) {
			used[v]++
			e.contributes = true
		}
		dst = append(dst, e)
	})
	return dst
}

func (k *Knowledge) first(t step.Turn) bool { return t%step.Turn(k.protocol.TurnsPerRound) == 0 }

func (k *Knowledge) round(t step.Turn) int { return int(t / step.Turn(k.protocol.TurnsPerRound)) }

// A cargo holds numbers that are carried through a run as models are, cols for each node, in
// x, one node after the other.
type cargo struct {
	cols int
	x    []float64
	add  func(e entry, t step.Turn, row []float64) // adds to the value of a node that does not attack; nil: nothing
	pin  func(t step.Turn, a int, row []float64)   // sets the message of attacker number a; nil: zeros
	see  func(t step.Turn, x []float64)            // receives the messages
}

// carry is the forward pass: a run with the changes that f says.
func (k *Knowledge) carry(f cargo) {
	used, entries := make([]int, k.Len()), []entry(nil)
	x, previous := f.x, make([]float64, len(f.x))
	for t := range k.protocol.Turns() {
		entries = k.entries(entries, t, used)
		for _, e := range entries {
			row := x[e.node*f.cols : (e.node+1)*f.cols]
			scale(row, e.keep)
			if f.add != nil && !k.attacker[e.node] {
				f.add(e, t, row)
			}
		}
		for i, a := range k.attackers {
			row := x[a*f.cols : (a+1)*f.cols]
			clear(row)
			if f.pin != nil {
				f.pin(t, i, row)
			}
		}
		f.see(t, x)
		a, c := k.protocol.Coefficients(t)
		k.weights.Matrix(t).ThreeTerm(previous, x, f.cols, a, 0, c)
		x, previous = previous, x
	}
}

func scale(row []float64, by float64) {
	if by == 1 {
		return
	}
	for j := range row {
		row[j] *= by
	}
}

// trace is the backward pass, the adjoint of carry. weights are those of the messages, in
// cols columns for each row. Turn by turn, the last first, see receives the derivatives of
// the weighted sums by every node's additions before that turn (zero for the attackers).
func (k *Knowledge) trace(weights []float64, cols int, see func(t step.Turn, entries []entry, response []float64)) {
	n, turns := k.Len(), k.protocol.Turns()
	all := k.allEntries()
	// later[j] is the response to messages j+1 turns later, before that turn's entry.
	later := [2][]float64{make([]float64, n*cols), make([]float64, n*cols)}
	now := make([]float64, n*cols)
	row := len(k.rows)
	var matrix, transpose *sparse.Matrix
	for t := turns - 1; t >= 0; t-- {
		a, _ := k.protocol.Coefficients(t)
		if m := k.weights.Matrix(t); m != matrix {
			matrix, transpose = m, m.Transpose()
		}
		transpose.ThreeTerm(now, later[0], cols, a, 0, 0)
		if t+1 < turns {
			if _, c := k.protocol.Coefficients(t + 1); c != 0 {
				sparse.Axpy(now, c, later[1])
			}
		}
		for ; row > 0 && k.rows[row-1].Turn == t; row-- {
			v := k.rows[row-1].Node
			sparse.Axpy(now[v*cols:(v+1)*cols], 1, weights[(row-1)*cols:row*cols])
		}
		for _, v := range k.attackers {
			clear(now[v*cols : (v+1)*cols])
		}
		see(t, all[t], now)
		for _, e := range all[t] {
			scale(now[e.node*cols:(e.node+1)*cols], e.keep)
		}
		now, later[0], later[1] = later[1], now, later[0]
	}
}

// allEntries returns the entries of all turns.
func (k *Knowledge) allEntries() [][]entry {
	used, all := make([]int, k.Len()), make([][]entry, k.protocol.Turns())
	for t := range all {
		all[t] = k.entries(nil, step.Turn(t), used)
	}
	return all
}

// Matrix returns the knowledge matrix (002, Algorithm 4.2, with the step sizes, penalties and
// turns of the run) times a block of cols columns, which has a row for each node. Row by row
// it is the part of the messages due to gradients that are the same in all rounds.
func (k *Knowledge) Matrix(columns []float64, cols int) []float64 {
	out, row := make([]float64, len(k.rows)*cols), 0
	k.carry(cargo{cols: cols, x: make([]float64, k.Len()*cols),
		add: func(e entry, _ step.Turn, x []float64) {
			if e.contributes {
				sparse.Axpy(x, -e.rate, columns[e.node*cols:(e.node+1)*cols])
			}
		},
		see: func(t step.Turn, x []float64) {
			for ; row < len(k.rows) && k.rows[row].Turn == t; row++ {
				copy(out[row*cols:(row+1)*cols], x[k.rows[row].Node*cols:])
			}
		},
	})
	return out
}
