package report

import (
	"cmp"
	"container/heap"
	"slices"
)

// A pair is an ordered pair with its losses.
type pair struct {
	u, v, hops int32
	eps        []float64
}

// compare orders pairs by the first accountant's loss, then by small numbers
// first. The largest of a set therefore does not depend on the order of visits.
func compare(a, b pair) int {
	return cmp.Or(cmp.Compare(a.eps[0], b.eps[0]), cmp.Compare(b.u, a.u), cmp.Compare(b.v, a.v))
}

// worst keeps the pairs with the largest loss under the first accountant. It is
// a heap of at most keep pairs with the least on top.
type worst struct {
	keep  int
	pairs []pair
}

func (w *worst) visit(u, v int, hops int32, eps []float64) {
	p := pair{u: int32(u), v: int32(v), hops: hops, eps: eps}
	if len(w.pairs) < w.keep {
		p.eps = slices.Clone(eps)
		heap.Push(w, p)
		return
	}
	if least := w.pairs[0]; compare(p, least) > 0 {
		p.eps = append(least.eps[:0], eps...)
		w.pairs[0] = p
		heap.Fix(w, 0)
	}
}

// descending returns the kept pairs, the largest loss first.
func (w *worst) descending() []pair {
	sorted := slices.Clone(w.pairs)
	slices.SortFunc(sorted, func(a, b pair) int { return compare(b, a) })
	return sorted
}

// Len, Less, Swap, Push and Pop implement heap.Interface.
func (w *worst) Len() int           { return len(w.pairs) }
func (w *worst) Less(i, j int) bool { return compare(w.pairs[i], w.pairs[j]) < 0 }
func (w *worst) Swap(i, j int)      { w.pairs[i], w.pairs[j] = w.pairs[j], w.pairs[i] }
func (w *worst) Push(p any)         { w.pairs = append(w.pairs, p.(pair)) }
func (w *worst) Pop() any {
	last := w.pairs[len(w.pairs)-1]
	w.pairs = w.pairs[:len(w.pairs)-1]
	return last
}
