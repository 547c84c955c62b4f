package gossipview

import (
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/parallel"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/sparse"
)

// PublishedSum computes for every pair the sum of 002, equation 6.3, in units
// of alpha/(2 sigma^2), t from 0:
//
//	sum over t < T, over w heard by v in round t, of  R[w][u]^2 / ||R[w]||^2,  R = W_{t-1}...W_0.
//
// It adds up the losses of single messages although all of them carry the same noise, and so is not an upper
// bound. For example, messages with rows (1,1) and (1,2) give 0.7, although together they determine the value.
func (g *Accountant) PublishedSum(workers int) *Pairs {
	p := &Pairs{N: g.n, Values: make([]float64, g.n*g.n)}
	p.Claim = privacy.Claim{Accountant: "gossip, sum over messages", Status: privacy.Published, Assumptions: []string{
		"messages are taken one by one, as if each had its own noise; they share it, so this is not a bound",
		"observers do not collude",
	}}
	norms := g.rowNorms(workers)
	listeners := g.listeners()
	g.strips(workers, func(first, cols int, x, next []float64) {
		sum, share := make([]float64, g.n*cols), make([]float64, g.n*cols)
		for round := range g.steps {
			for w := range g.n {
				for c := range cols {
					share[w*cols+c] = x[w*cols+c] * x[w*cols+c] / norms[round*g.n+w]
				}
			}
			listeners[g.at(round)].ThreeTerm(sum, share, cols, 1, 0, 1)
			g.matrices[g.at(round)].MulBlock(next, x, cols)
			x, next = next, x
		}
		for c := range cols {
			for v := range g.n {
				p.Values[(first+c)*g.n+v] = sum[v*cols+c]
			}
		}
	})
	return p
}

// stripWidth is the number of columns of a product of matrices that are formed at once.
const stripWidth = 16

// strips calls do for consecutive columns of the identity, at most stripWidth at once, with room for their
// images.
func (g *Accountant) strips(workers int, do func(first, cols int, x, next []float64)) {
	parallel.Each((g.n+stripWidth-1)/stripWidth, workers, func(k int) {
		first := k * stripWidth
		cols := min(stripWidth, g.n-first)
		x := make([]float64, g.n*cols)
		for c := range cols {
			x[(first+c)*cols+c] = 1
		}
		do(first, cols, x, make([]float64, len(x)))
	})
}

// rowNorms returns at t*n+w the squared norm of row w of W_{t-1}...W_0. It adds columns in a fixed order,
// whatever the number of workers.
func (g *Accountant) rowNorms(workers int) []float64 {
	blocks := make([][]float64, (g.n+stripWidth-1)/stripWidth)
	g.strips(workers, func(first, cols int, x, next []float64) {
		norms := make([]float64, g.steps*g.n)
		for round := range g.steps {
			for w := range g.n {
				row := x[w*cols : (w+1)*cols]
				norms[round*g.n+w] = sparse.Dot(row, row)
			}
			g.matrices[g.at(round)].MulBlock(next, x, cols)
			x, next = next, x
		}
		blocks[first/stripWidth] = norms
	})
	total := make([]float64, g.steps*g.n)
	for _, norms := range blocks {
		sparse.Axpy(total, 1, norms)
	}
	return total
}

// listeners returns for each matrix the 0/1 matrix of the nodes that hear each other.
func (g *Accountant) listeners() []*sparse.Matrix {
	var all []*sparse.Matrix
	for _, w := range g.matrices {
		m := &sparse.Matrix{N: w.N, Offsets: w.Offsets, Columns: w.Columns, Values: make([]float64, len(w.Values))}
		for v := range w.N {
			columns, values := m.Row(v)
			for k, x := range columns {
				if int(x) != v {
					values[k] = 1
				}
			}
		}
		all = append(all, m)
	}
	return all
}

// Corollary63 computes for every pair the bound on PublishedSum that 002 gives
// for fixed symmetric gossip, in units of alpha/(2 sigma^2):
//
//	n max over edges {v,w} of W_vw^-2  times  sum over t = 1..T of (W^t)_uv^2.
//
// Like that sum, it is as published and is not an upper bound of the loss.
func (g *Accountant) Corollary63(workers int) (*Pairs, error) {
	if !g.fixed || !g.parts[0].symmetric {
		return nil, fault.New("Corollary 6.3 needs a fixed symmetric matrix", "use the sum of Theorem 6.1")
	}
	p := &Pairs{N: g.n, Values: make([]float64, g.n*g.n)}
	p.Claim = privacy.Claim{Accountant: "gossip, Corollary 6.3", Status: privacy.Published, Assumptions: []string{
		"bounds the sum over messages, which is not a bound itself",
		"observers do not collude",
	}}
	factor := float64(g.n) / math.Pow(g.leastWeight(), 2)
	g.strips(workers, func(first, cols int, x, next []float64) {
		sum := make([]float64, len(x))
		for range g.steps {
			g.matrices[0].MulBlock(next, x, cols)
			x, next = next, x
			for k, v := range x {
				sum[k] += float64(v * v)
			}
		}
		for c := range cols {
			for v := range g.n {
				p.Values[(first+c)*g.n+v] = factor * sum[v*cols+c]
			}
		}
	})
	return p, nil
}

// leastWeight returns the smallest positive weight of an edge, or 1 without edges.
func (g *Accountant) leastWeight() float64 {
	least := 1.0
	for v := range g.n {
		columns, values := g.matrices[0].Row(v)
		for k, w := range columns {
			if int(w) != v && values[k] > 0 {
				least = min(least, values[k])
			}
		}
	}
	return least
}
