package graph

import "github.com/hearsay-dp/hearsay/step"

// A robin draws matchings of all nodes so that each meets every other once before it
// meets anybody again: a tournament in a random order with random names. Each
// turn's matching is a perfect one, every one as likely; only those of one tournament,
// n-1 turns (n of an odd number of nodes), depend on each other. What somebody is told
// directly then grows as slowly as it can.
//
// The players of a tournament sit in a circle of odd length and one in its middle. In
// round r those at places i and j with i+j = r modulo the length meet, and who would
// meet itself meets the middle.
type robin struct {
	places int // of the circle
	known  bool
	number step.Turn // of the tournament
	names  []int32   // by place, the middle last; n where there is nobody
	order  []int32   // of rounds
}

// NewRoundRobin pairs n >= 1 nodes: nobody meets twice before all have met.
func NewRoundRobin(n int, seed uint64) *Matchings {
	m := NewMatchings(n, seed)
	m.robin = &robin{places: max(1, n-1+n%2)}
	return m
}

// drawRobin pairs the nodes of turn t.
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

// numbers is 0..n-1, in list if there is room.
func numbers(list []int32, n int) []int32 {
	list = list[:0]
	for k := range n {
		list = append(list, int32(k))
	}
	return list
}
