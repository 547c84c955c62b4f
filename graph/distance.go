package graph

import (
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// Unreachable is the distance between nodes that no path joins.
const Unreachable = math.MaxUint16

// A Search computes distances by breadth-first search. It reuses the memory
// of one search, so repeated searches allocate nothing.
type Search struct {
	graph    *Graph
	distance []int32
	order    []int32
	read     int // row entries looked at so far, over all searches
}

// NewSearch returns a Search on g.
func NewSearch(g *Graph) *Search {
	return &Search{graph: g, distance: make([]int32, g.Len()), order: make([]int32, 0, g.Len())}
}

// From returns the number of hops from source to every node. It is -1 where
// there is no path. The slice is valid until the next search.
func (s *Search) From(source int) []int32 {
	for u := range s.distance {
		s.distance[u] = -1
	}
	s.distance[source] = 0
	s.read += len(s.distance)
	s.order = append(s.order[:0], int32(source))
	for head := 0; head < len(s.order) && len(s.order) < len(s.distance); head++ {
		u := s.order[head]
		next := s.distance[u] + 1
		s.read += s.graph.Degree(int(u))
		for _, v := range s.graph.Neighbours(int(u)) {
			if s.distance[v] < 0 {
				s.distance[v] = next
				s.order = append(s.order, v)
			}
		}
	}
	return s.distance
}

// Order returns the nodes that the last search reached, nearest first. The
// slice is valid until the next search.
func (s *Search) Order() []int32 { return s.order }

// eccentricity returns the distance to the farthest node reached, and that
// node.
func (s *Search) eccentricity(source int) (distance, farthest int) {
	s.From(source)
	last := s.order[len(s.order)-1]
	return int(s.distance[last]), int(last)
}

// AllDistances returns the n x n hop counts, rows by source. Pairs without a
// path have Unreachable. It fails beyond 2^15 nodes (2 GB); use the rows of a
// Search there.
func (g *Graph) AllDistances() ([][]uint16, error) {
	const limit = 1 << 15
	if g.Len() > limit {
		return nil, fault.New(sprintf("all distances between %d nodes do not fit in memory", g.Len()),
			sprintf("ask for them on a graph of at most %d nodes", limit))
	}
	s := NewSearch(g)
	rows := make([][]uint16, g.Len())
	for u := range rows {
		rows[u] = make([]uint16, g.Len())
		for v, d := range s.From(u) {
			rows[u][v] = uint16(d) // -1 becomes Unreachable
		}
	}
	return rows, nil
}
