package gossipfamily

import (
	"context"

	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// Innovations implements family.Innovating. An observer foresees the average that a node takes of what it was sent itself: a
// neighbour that it does not hear is left out, and the weights of the others are scaled up.
func (a *Algorithm) Innovations(ctx context.Context, seed uint64, see func(v, w int, x []float64)) error {
	run, err := a.Simulation(seed)
	if err != nil {
		return err
	}
	p, n, d := a.Protocol, a.Protocol.Nodes, a.Protocol.Params
	last, before, fresh := make([]float64, n*d), make([]float64, n*d), make([]float64, d)
	for w := range n {
		copy(last[w*d:], p.Initial)
	}
	var matrix *sparse.Matrix                          // of the turn before
	heard, known := make([][]int, n+1), make([]int, n) // by each observer in the turn before; v+1: by v
	shows := func(t step.Turn, x []float64, v int, senders []int) {
		for _, w := range heard[v] {
			known[w] = v + 1
		}
		for _, w := range senders {
			if copy(fresh, x[w*d:(w+1)*d]); t > 0 {
				own, past := p.Coefficients(t - 1)
				foresee(fresh, last, own, func(u int32) bool { return known[u] == v+1 }, matrix, w)
				sparse.Axpy(fresh, -past, before[w*d:(w+1)*d])
			} else if !a.averaging() {
				sparse.Axpy(fresh, -1, last[w*d:(w+1)*d])
			}
			if w != v {
				see(v, w, fresh)
			}
		}
		heard[v] = append(heard[v][:0], senders...)
	}
	var senders, all []int
	for w := range n {
		all = append(all, w)
	}
	_, err = run.Bulk(ctx, sim.GossipWatcher{Values: func(t step.Turn, x []float64) {
		if t == p.Turns() {
			return
		}
		for v := range n {
			senders = heardBy(senders[:0], []int{v}, func(v int) []int32 { nodes, _ := run.Weights.Row(step.NodeID(v), t); return nodes })
			shows(t, x, v, senders)
		}
		shows(t, x, n, all)
		last, before, matrix = before, last, run.Weights.Matrix(t)
		copy(last, x)
	}})
	return err
}

// foresee takes from x the share own of the mean that w takes of the values at known nodes.
func foresee(x, values []float64, own float64, known func(u int32) bool, matrix *sparse.Matrix, w int) {
	columns, weights := matrix.Row(w)
	total := 0.0
	for k, u := range columns {
		if known(u) {
			total += weights[k]
		}
	}
	for k, u := range columns {
		if known(u) && total > 0 {
			sparse.Axpy(x, -own*weights[k]/total, values[int(u)*len(x):(int(u)+1)*len(x)])
		}
	}
}
