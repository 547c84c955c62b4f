package allpairs

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/sparse"
)

// A Walk holds the inputs of the bound. W is n x n and row-stochastic, and every node must reach every other.
// Start is the law of the holder of the first update.
type Walk struct {
	W     *sparse.Matrix
	Start []float64
	Turns int     // updates of the run, at least 1
	Cap   int     // contributions of a node, 1..MostCap
	Skip  float64 // probability that a holder takes no part in a turn, below 1
}

// MostCap is the largest number of contributions for which rounding errors are negligible.
const MostCap = 1 << 20

// Most is the largest number of nodes whose Green's functions fit into memory.
const Most = 4096

// Orders is the number of moments of a pair: E V, E V^2, .. E V^Orders.
const Orders = order - 1

// order is the length of the power series.
const order = 16

// near is the longest gap whose law is computed exactly.
const near = 32

// Check returns an error if a walk is outside the range of this package.
func (w Walk) Check() error {
	switch n := w.W.N; {
	case n < 2 || n > Most:
		return fault.New(fmt.Sprintf("moments of all pairs of %d nodes", n), fmt.Sprintf("give a graph of 2 to %d nodes", Most))
	case len(w.Start) != n:
		return fault.New(fmt.Sprintf("a start on %d of %d nodes", len(w.Start), n), "give a probability for every node")
	case w.Cap < 1 || w.Cap > MostCap:
		return fault.New(fmt.Sprintf("moments of %d contributions", w.Cap), fmt.Sprintf("cap the contributions of a node at 1 to %d", MostCap))
	case !(w.Skip >= 0 && w.Skip < 1):
		return fault.New(fmt.Sprintf("holders who skip turns with probability %g", w.Skip), "give a probability below 1")
	case w.Turns < 1:
		return fault.New(fmt.Sprintf("a walk of %d turns", w.Turns), "give at least one turn")
	case !Connected(w.W):
		return fault.New("some node is never reached from some other", "give a graph that is strongly connected")
	}
	return nil
}

// Connected reports whether every node is reached from every other.
func Connected(w *sparse.Matrix) bool { return reaches(w) && reaches(w.Transpose()) }

// reaches reports whether node 0 leads to every node.
func reaches(w *sparse.Matrix) bool {
	seen, list := make([]bool, w.N), []int{0}
	seen[0] = true
	for k := 0; k < len(list); k++ {
		columns, values := w.Row(list[k])
		for i, to := range columns {
			if values[i] > 0 && !seen[to] {
				seen[to], list = true, append(list, int(to))
			}
		}
	}
	return len(list) == w.N
}

// rates returns the rates of the Laplace transforms, a turn: 0, and doubling rates from below 1/(4 turns), or
// leastRate, up to mostRate.
func rates(turns int) []float64 {
	down := []float64{mostRate}
	for down[len(down)-1]*4*float64(turns) > 1 && down[len(down)-1] > leastRate {
		down = append(down, down[len(down)-1]/2)
	}
	x := []float64{0}
	for i := len(down) - 1; i >= 0; i-- {
		x = append(x, down[i])
	}
	return x
}

// Above mostRate the part of a transform beyond near is lost in rounding.
const (
	mostRate  = 0.36
	leastRate = 1e-9
)
