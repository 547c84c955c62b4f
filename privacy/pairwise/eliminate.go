package pairwise

import (
	"github.com/hearsay-dp/hearsay/internal/parallel"
	"github.com/hearsay-dp/hearsay/sparse"
)

// ulp is the unit round-off of a float64.
const ulp = 0x1p-53

// A dense network is a connected part with all its conductances in a matrix. Eliminating a node k joins its
// neighbours: the conductance between i and j grows by c_ik c_kj/D, and the one between i and the ground by c_ik
// g_k/D. D is the sum of the conductances of k (star-mesh transform; Grassmann, Taksar and Heyman 1985 for Markov
// chains). Nothing is ever subtracted, so each elimination computes every conductance up to a factor of at most 1
// + (rest+8) ulp, however unequal they are. Resistances change by no more than this factor, because they are
// monotone and homogeneous in conductances (Rayleigh).
type dense struct {
	nodes  []int32
	c      []float64 // len(nodes) x len(nodes), symmetric; the diagonal is not used
	ground []float64
}

// densely returns the dense network of a whole connected part, in units of the own conductance.
func (v *view) densely(part []int32) *dense {
	m := len(part)
	d := &dense{nodes: part, c: make([]float64, m*m), ground: make([]float64, m)}
	at := make(map[int32]int, m)
	for i, node := range part {
		at[node] = i
	}
	for i, node := range part {
		d.ground[i] = 1
		for _, next := range v.neighbours(node) {
			d.c[i*m+at[next]] = v.conductance
		}
	}
	return d
}

// resistances calls found with the resistance of every node to the ground, rounded upwards. It splits the nodes
// recursively: it eliminates one half and goes on with the other.
func (d *dense) resistances(workers int, found func(node int32, r float64)) {
	slack := 1 + float64(1.001*ulp*float64(len(d.nodes))*float64(len(d.nodes)/2+10))
	d.halve(workers, func(node int32, ground float64) { found(node, min(1, slack/ground)) })
}

func (d *dense) halve(workers int, found func(node int32, ground float64)) {
	m := len(d.nodes)
	if m == 1 {
		found(d.nodes[0], d.ground[0])
		return
	}
	cuts := [2][2]int{{0, m / 2}, {m / 2, m}}
	parallel.Each(2, workers, func(k int) {
		d.without(cuts[k][0], cuts[k][1]).halve(1, found)
	})
}

// without returns the network that remains after nodes lo..hi-1 are eliminated.
func (d *dense) without(lo, hi int) *dense {
	m, out := len(d.nodes), hi-lo
	order := make([]int, 0, m) // those to be taken out first
	for i := lo; i < hi; i++ {
		order = append(order, i)
	}
	for i := range m {
		if i < lo || i >= hi {
			order = append(order, i)
		}
	}
	c, ground := make([]float64, m*m), make([]float64, m)
	for i, from := range order {
		ground[i] = d.ground[from]
		for j := i + 1; j < m; j++ {
			c[i*m+j] = d.c[from*m+order[j]]
		}
	}
	for k := range out {
		takeOut(c, ground, m, k)
	}
	return remaining(d, order, c, ground, out)
}

// takeOut eliminates node k from nodes k..m-1. It reads and writes only the part of c above the diagonal.
func takeOut(c, ground []float64, m, k int) {
	row := c[k*m : (k+1)*m]
	all := ground[k]
	for _, x := range row[k+1:] {
		all += x
	}
	for i := k + 1; i < m; i++ {
		if share := row[i] / all; share > 0 {
			ground[i] += float64(share * ground[k])
			sparse.Axpy(c[i*m+i+1:(i+1)*m], share, row[i+1:])
		}
	}
}

// remaining returns the network of the nodes of order from index out on.
func remaining(d *dense, order []int, c, ground []float64, out int) *dense {
	m := len(order)
	rest := m - out
	r := &dense{nodes: make([]int32, rest), c: make([]float64, rest*rest), ground: ground[out:]}
	for i := range rest {
		r.nodes[i] = d.nodes[order[out+i]]
		for j := i + 1; j < rest; j++ {
			x := c[(out+i)*m+out+j]
			r.c[i*rest+j], r.c[j*rest+i] = x, x
		}
	}
	return r
}
