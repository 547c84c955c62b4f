package graph

import "github.com/hearsay-dp/hearsay/step"

// A robin draws matchings of all nodes in which each node meets every other once
// before it meets any of them again. It is a round-robin tournament with rounds and
// names in random order. Each turn's matching is uniform among the perfect matchings.
// Only matchings of the same tournament depend on each other: n-1 turns, or n for an
// odd number of nodes. The direct loss to any one node then grows as slowly as
// possible.
//
// The players of a tournament sit in a circle of odd length, and one in its middle. In
// round r the players at places i and j with i+j = r modulo the length meet. A player
// that would meet itself meets the middle.
type robin struct {
	places int // of the circle
	known  bool
	number step.Turn // of the tournament
	names  []int32   // by place, the middle last; n if the place is empty
	order  []int32   // of rounds
}

// NewRoundRobin pairs n >= 1 nodes such that no two meet twice before all have met.
func NewRoundRobin(n int, seed uint64) *Matchings {
	m := NewMatchings(n, seed)
	m.robin = &robin{places: max(1, n-1+n%2)}
	return m
}

// drawRobin pairs the nodes for turn t.
func (m *Matchings) drawRobin(t step.Turn) {
	r := m.robin
	if number := t / step.Turn(r.places); !r.known || number != r.number {
		r.known, r.number = true, number
		stream := m.stream.At(m.seed, nobody, number, 0, step.Topology)
		r.names, r.order = numbers(r.names, r.places+1), numbers(r.order, r.places)
		for _, list := range [][]int32{r.names, r.order} {
			stream.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		}
	}
	round := int(r.order[t%step.Turn(r.places)])
	for i := range r.places {
		j := (round - i + r.places) % r.places
		if j == i {
			j = r.places
		}
		if u, v := r.names[i], r.names[j]; int(u) < len(m.partner) && int(v) < len(m.partner) {
			m.partner[u], m.partner[v] = v, u
		}
	}
}

// numbers returns 0..n-1. It reuses the memory of list.
func numbers(list []int32, n int) []int32 {
	list = list[:0]
	for k := range n {
		list = append(list, int32(k))
	}
	return list
}
