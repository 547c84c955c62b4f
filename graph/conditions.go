package graph

import (
	"strconv"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// number parses a decimal number.
func number(text string) (float64, bool) {
	x, err := strconv.ParseFloat(text, 64)
	return x, err == nil
}

// CheckSymmetric returns an error unless W_uv and W_vu differ by at most tolerance for all nodes.
// The error names who, which needs the symmetry (such as an accountant), and the first two
// entries that differ. hint says how to go on without symmetry.
func (t *Transition) CheckSymmetric(who string, tolerance float64, hint string) error {
	for u := range t.Len() {
		for _, v := range t.graph.Neighbours(u) {
			there, back := t.At(u, int(v)), t.At(int(v), u)
			if math.Abs(there-back) > tolerance {
				return fault.New(sprintf("%s needs a symmetric matrix, but weights %s have %g from node %s to node %s and %g back",
					who, t.rule, there, t.graph.Label(u), t.graph.Label(int(v)), back), hint)
			}
		}
	}
	return nil
}

// CheckDoublyStochastic returns an error unless every column of W sums to 1 within Tolerance, as
// its rows do. The error names who, which needs that, and the first column that does not.
func (t *Transition) CheckDoublyStochastic(who, hint string) error {
	for v, sum := range t.columns() {
		if math.Abs(sum-1) > Tolerance {
			return fault.New(sprintf("%s needs a doubly stochastic matrix, but the column of node %s in weights %s sums to %.9g, not to 1",
				who, t.graph.Label(v), t.rule, sum), hint)
		}
	}
	return nil
}

// columns returns the sums of the columns of W.
func (t *Transition) columns() []float64 {
	sums := make([]float64, t.Len())
	for u := range sums {
		sums[u] += t.Self(u)
		for _, v := range t.graph.Neighbours(u) {
			sums[v] += t.At(u, int(v))
		}
	}
	return sums
}

// Own reports whether the user gave the matrix, or the edge weights that define it.
func (t *Transition) Own() bool { return t.own != nil && t.own.given }

// Reversible reports whether W is reversible, so that its eigenvalues are real.
func (t *Transition) Reversible() bool {
	if t.own != nil {
		return t.own.reversible
	}
	return !t.graph.design.Directed
}

// unreached returns two nodes of which the second cannot be reached from the first.
func (t *Transition) unreached() (from, to int, found bool) {
	if to, found = missed(t.own.w.N, t.own.w.Row); found {
		return 0, to, true
	}
	from, found = missed(t.own.w.N, t.own.w.Transpose().Row)
	return from, 0, found
}

// missed returns a node that positive entries do not reach from node 0.
func missed(n int, row func(int) ([]int32, []float64)) (int, bool) {
	seen, list := make([]bool, n), []int{0}
	seen[0] = true
	for k := 0; k < len(list); k++ {
		columns, values := row(list[k])
		for i, v := range columns {
			if values[i] > 0 && !seen[v] {
				seen[v], list = true, append(list, int(v))
			}
		}
	}
	for v, reached := range seen {
		if !reached {
			return v, true
		}
	}
	return 0, false
}

// balanced is the largest relative difference between a flow and the flow back at which a walk
// counts as reversible.
const balanced = 1e-12

// balance looks for the distribution that satisfies detailed balance. If there is one, it marks
// the walk as reversible and stores the distribution as measure unless it is uniform.
func (t *Transition) balance() {
	w, n := t.own.w, t.Len()
	pi, list := make([]float64, n), []int{0}
	pi[0] = 1
	for k := 0; k < len(list); k++ {
		u := list[k]
		columns, values := w.Row(u)
		for i, v := range columns {
			back := w.At(int(v), u)
			if values[i] == 0 && back == 0 {
				continue
			}
			flow := float64(pi[u] * values[i])
			if !(back > 0) || !(flow > 0) {
				return
			}
			if pi[v] == 0 {
				pi[v], list = flow/back, append(list, int(v))
			}
			if here := float64(pi[v] * back); math.IsInf(pi[v], 1) || math.Abs(here-flow) > balanced*flow {
				return
			}
		}
	}
	t.own.reversible = true
	for _, p := range pi {
		if p != 1 {
			t.measure = pi
		}
	}
}
