package graph

import "slices"

// A Diameter bounds the largest distance between two nodes. Some pair is at
// distance Lower, and no pair is farther apart than Upper.
type Diameter struct{ Lower, Upper int }

// Exact reports whether the bounds meet.
func (d Diameter) Exact() bool { return d.Lower == d.Upper }

// Diameter computes the diameter by breadth-first searches. It is exact if
// about budget row entries suffice; otherwise it returns bounds. A budget of 0
// means one or two seconds. It fails on a graph that is not connected.
//
// It starts with double sweeps from far-away nodes. Then it searches from the
// nodes farthest from the middle of the longest path found, inwards. Once all
// nodes farther than k from the middle have been searched, no two others are
// more than 2k apart (iFUB: Crescenzi et al. 2013).
func (g *Graph) Diameter(budget int) (Diameter, error) {
	if err := g.Connected(); err != nil {
		return Diameter{}, err
	}
	if budget == 0 {
		budget = 300_000_000
	}
	s := NewSearch(g)
	if g.design.Directed {
		return s.diameterDirected(budget), nil
	}
	middle, longest := s.sweep(4)
	return s.fringe(middle, longest, budget), nil
}

// sweep repeats double sweeps: it searches from a node, then from the farthest
// node found. It returns the middle of the longest shortest path found, and
// its length.
func (s *Search) sweep(rounds int) (middle, longest int) {
	source, _ := s.graph.hub()
	for range rounds {
		_, end := s.eccentricity(source)
		length, other := s.eccentricity(end)
		at := s.back(other, length/2)
		if length > longest || longest == 0 {
			longest, middle = length, at
		}
		source = at
	}
	return middle, longest
}

// hub returns the node of largest degree and its degree.
func (g *Graph) hub() (node, degree int) {
	for u := range g.Len() {
		if g.Degree(u) > degree {
			node, degree = u, g.Degree(u)
		}
	}
	return node, degree
}

// back follows the last search from node towards its source for hops hops.
func (s *Search) back(node, hops int) int {
	for range hops {
		row := s.graph.Neighbours(node)
		k := slices.IndexFunc(row, func(v int32) bool { return s.distance[v] == s.distance[node]-1 })
		node = int(row[k])
	}
	return node
}

// fringe searches from the nodes farthest from middle until the bounds meet or
// the budget runs out.
func (s *Search) fringe(middle, longest, budget int) Diameter {
	level, _ := s.eccentricity(middle)
	order := slices.Clone(s.order)
	depth := slices.Clone(s.distance)
	d := Diameter{Lower: max(longest, level), Upper: 2 * level}
	for k := len(order) - 1; k >= 0 && !d.Exact(); k-- {
		d.Upper = max(d.Lower, 2*int(depth[order[k]]))
		if d.Exact() || s.read > budget {
			break
		}
		far, _ := s.eccentricity(int(order[k]))
		d.Lower = max(d.Lower, far)
		d.Upper = max(d.Upper, d.Lower)
	}
	return d
}

// diameterDirected searches from every node if the budget allows. Otherwise
// the upper bound is the number of nodes less one.
func (s *Search) diameterDirected(budget int) Diameter {
	d := Diameter{Upper: s.graph.Len() - 1}
	for u := range s.graph.Len() {
		if s.read > budget {
			return d
		}
		far, _ := s.eccentricity(u)
		d.Lower = max(d.Lower, far)
	}
	d.Upper = d.Lower
	return d
}
