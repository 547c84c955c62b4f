package graph

import (
	"gonum.org/v1/gonum/floats"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sparse"
)

// Communicability sets dst to column u of exp(A). A must have no negative
// entry, such as Graph.Adjacency or a Transition. The entry of a node counts
// its walks to u of all lengths, a walk of k hops weighted by 1/k! (Estrada
// and Hatano 2008; compared with the privacy loss of a walk in 002, 7.3.1).
//
// It sums the Taylor series. All terms are nonnegative, so every entry has a
// relative error of at most as many roundings as there are terms, however
// small it is. Each term costs one product with A. The number of terms is a
// multiple of the largest eigenvalue of A, about 20 for a Transition.
func Communicability(dst []float64, a sparse.Operator, u int) {
	if len(dst) != a.Len() {
		panic("graph: Communicability with a vector of the wrong length")
	}
	term, next := make([]float64, len(dst)), make([]float64, len(dst))
	clear(dst)
	dst[u], term[u] = 1, 1
	for k, changed := 1, true; changed; k++ {
		a.Mul(next, term)
		floats.Scale(1/float64(k), next)
		term, next = next, term
		changed = accumulate(dst, term)
	}
}

// accumulate adds term to sum and reports whether any entry changed. Once a
// term A^k/k! changes no entry, no later term does. If term k is at most
// epsilon times the sum so far, so is term k+1, entry by entry.
func accumulate(sum, term []float64) bool {
	changed := false
	for i, x := range term {
		before := sum[i]
		sum[i] += x
		changed = changed || sum[i] != before
	}
	return changed
}

// Katz returns the centrality x = 1 + alpha A x (Katz 1953). Each node counts
// 1, plus alpha^k for each walk of k hops that ends there. It fails unless 0
// <= alpha < 1/largest eigenvalue of A, because the sum over walks diverges
// otherwise.
func Katz(a sparse.Operator, alpha float64) ([]float64, error) {
	const limit = 100_000
	x, term, next := make([]float64, a.Len()), make([]float64, a.Len()), make([]float64, a.Len())
	floats.AddConst(1, x)
	floats.AddConst(1, term)
	for range limit {
		a.Mul(next, term)
		floats.Scale(alpha, next)
		term, next = next, term
		size := absoluteSum(term)
		floats.Add(x, term)
		if size <= 1e-16*absoluteSum(x) {
			return x, nil
		}
		if !(size < 1e200) {
			break
		}
	}
	return nil, fault.New(sprintf("Katz centrality does not exist for alpha = %g: walks weigh more the longer they are", alpha),
		"take alpha from 0 to below one over the largest eigenvalue of the matrix")
}

// absoluteSum returns the sum of |x_i|, added in order.
func absoluteSum(x []float64) (sum float64) {
	for _, v := range x {
		sum += math.Abs(v)
	}
	return sum
}
