package allpairs

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/sparse"
)

// A Walk is what the bound depends on. W is n x n, stochastic by rows, and leads from
// every node to every other; Start is the law of the holder of the first update.
type Walk struct {
	W     *sparse.Matrix
	Start []float64
	Turns int     // updates of the run, at least 1
	Cap   int     // contributions of a node, 1..MostCap
	Skip  float64 // probability that a holder takes no part in a turn, below 1
}

// MostCap is the largest number of contributions: of more, rounding would count.
const MostCap = 1 << 20

// Most is the largest number of nodes: Green's functions of more do not fit into memory.
const Most = 4096

// Orders is how many moments a pair has: E V, E V^2, .. E V^Orders.
const Orders = order - 1

// order is the length of the power series that are followed.
const order = 16

// near is the longest gap that is followed exactly.
const near = 32

// Check says why a walk is not priced here.
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

// rates are those of the Laplace transforms, a turn: 0, and from below 1/(4 turns)
// up to mostRate, each twice the one before.
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

// Above mostRate what is left of a transform beyond near is lost in rounding.
const (
	mostRate  = 0.36
	leastRate = 1e-9
)
