package graph

import (
	"math/bits"
	"math/rand/v2"
)

// Next draws the node after u by row u of W, in constant time, from one call
// of r.Uint64. The high part of the draw picks a slot of the proposal. The
// rest decides whether a neighbour is accepted. The two are independent up to
// (d_u+1)/2^53.
//
// For a matrix that has no rule's form it searches the cumulative sums of row
// u.
func (t *Transition) Next(u int, r *rand.Rand) int {
	if t.own != nil {
		return t.own.next(u, float64(r.Uint64()>>11)*0x1p-53)
	}
	degree := t.graph.Degree(u)
	slot, rest := bits.Mul64(r.Uint64(), uint64(t.proposals(degree)))
	if slot >= uint64(degree) {
		return u
	}
	v := t.graph.neighbour(u, int(slot))
	if float64(rest>>11)*0x1p-53*t.cap[u] < t.cap[v] {
		return v
	}
	return u
}

// neighbour returns entry k of the row of u. On a complete graph it computes
// the entry, because the rows do not fit a processor's cache.
func (g *Graph) neighbour(u, k int) int {
	switch {
	case len(g.targets) < g.Len()*(g.Len()-1):
		return int(g.targets[g.offsets[u]+k])
	case k < u:
		return k
	}
	return k + 1
}
