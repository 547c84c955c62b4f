package report

import "github.com/hearsay-dp/hearsay/internal/math"

// maxSide is the largest picture of a matrix, in pixels.
const maxSide = 1024

// pools shrinks the loss matrices to at most maxSide x maxSide cells. A cell keeps
// the maximum of its priced pairs, so that shrinking hides no loss. noPair marks a
// cell without a pair (the diagonal), and unpriced a cell without a priced pair.
type pools struct {
	n, side int
	cells   [][]float64 // per accountant, row u, column v
}

const noPair, unpriced = -2.0, -1.0

func newPools(n, accountants int) *pools {
	p := &pools{n: n, side: min(n, maxSide), cells: make([][]float64, accountants)}
	for k := range p.cells {
		p.cells[k] = make([]float64, p.side*p.side)
		for i := range p.cells[k] {
			p.cells[k][i] = noPair
		}
	}
	return p
}

func (p *pools) visit(u, v int, _ int32, eps []float64) {
	i := u*p.side/p.n*p.side + v*p.side/p.n
	for k, e := range eps {
		if math.IsNaN(e) {
			e = unpriced
		}
		p.cells[k][i] = max(p.cells[k][i], e)
	}
}
