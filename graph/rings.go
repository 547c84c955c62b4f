package graph

import "github.com/hearsay-dp/hearsay/internal/math"

// A Tally sums nonnegative numbers. NaN is left out.
type Tally struct {
	Count    int
	Sum, Max float64
}

// Add counts x, which must not be negative. NaN is ignored.
func (t *Tally) Add(x float64) {
	if !math.IsNaN(x) {
		t.Count, t.Sum, t.Max = t.Count+1, t.Sum+x, max(t.Max, x)
	}
}

// Merge adds the numbers of another tally.
func (t *Tally) Merge(other Tally) {
	t.Count, t.Sum, t.Max = t.Count+other.Count, t.Sum+other.Sum, max(t.Max, other.Max)
}

// Mean returns the mean. It is NaN if there are no numbers.
func (t Tally) Mean() float64 { return t.Sum / float64(t.Count) }

// A Ring holds all ordered pairs of nodes at one distance, and the tallies of some
// values of them.
type Ring struct {
	Hops  int // from u to v, at least 1; -1 if there is no path
	Pairs int
	Of    []Tally // one tally a value
}

// Rings returns all ordered pairs of different nodes by distance, ascending. Pairs
// without a path come first. values are called with (u, v) and must not be
// negative.
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

// Nearest returns the number of hops from the nearest source to every node. It is
// -1 where no source leads to the node.
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
