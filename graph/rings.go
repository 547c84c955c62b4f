package graph

import "github.com/hearsay-dp/hearsay/internal/math"

// A Tally sums up numbers; what is none is left out.
type Tally struct {
	Count    int
	Sum, Max float64
}

// Add counts a number that is not negative in.
func (t *Tally) Add(x float64) {
	if !math.IsNaN(x) {
		t.Count, t.Sum, t.Max = t.Count+1, t.Sum+x, max(t.Max, x)
	}
}

// Merge counts in what another tally has.
func (t *Tally) Merge(other Tally) {
	t.Count, t.Sum, t.Max = t.Count+other.Count, t.Sum+other.Sum, max(t.Max, other.Max)
}

// Mean is that of the numbers; NaN if there are none.
func (t Tally) Mean() float64 { return t.Sum / float64(t.Count) }

// A Ring is all ordered pairs of nodes that are so many hops apart, and what some
// values of them come to.
type Ring struct {
	Hops  int // from u to v, at least 1; -1: no path leads there
	Pairs int
	Of    []Tally // by value
}

// Rings are all ordered pairs of different nodes by distance, those that no path
// joins first, then ascending. values are from u towards v, and never negative.
func (g *Graph) Rings(values ...func(u, v int) float64) []Ring {
	searched := g
	if g.Directed() {
		searched = g.Reversed() // hops to v, from wherever
	}
	var rings []Ring // by hops + 1
	search := NewSearch(searched)
	for v := range g.Len() {
		for u, hops := range search.From(v) {
			if u == v {
				continue
			}
			for len(rings) <= int(hops)+1 {
				rings = append(rings, Ring{Hops: len(rings) - 1, Of: make([]Tally, len(values))})
			}
			r := &rings[hops+1]
			r.Pairs++
			for k, value := range values {
				r.Of[k].Add(value(u, v))
			}
		}
	}
	var some []Ring
	for _, r := range rings {
		if r.Pairs > 0 {
			some = append(some, r)
		}
	}
	return some
}

// Nearest returns the number of hops from the nearest of sources to every node, -1
// where no path leads from any.
func (s *Search) Nearest(sources []int) []int {
	nearest := make([]int, s.graph.Len())
	for u := range nearest {
		nearest[u] = -1
	}
	for _, v := range sources {
		for u, d := range s.From(v) {
			if d >= 0 && (nearest[u] < 0 || int(d) < nearest[u]) {
				nearest[u] = int(d)
			}
		}
	}
	return nearest
}
