package design

import (
	"slices"

	"github.com/hearsay-dp/hearsay/graph"
)

// links hold how long a message takes over each possible edge, in seconds, by node.
type links struct {
	of   map[[2]int]float64
	hop  float64 // mean of a hop of a walk with the weights hamilton, a turn without a hop included
	slow float64 // the slowest edge
}

// newLinks returns the latencies of the edges of g.
func newLinks(w *Wishes, g *graph.Graph) links {
	stated := map[[2]string]float64{}
	for _, e := range w.Edges.List {
		if e.Latency > 0 {
			between := slices.Sorted(slices.Values(e.Between))
			stated[[2]string{between[0], between[1]}] = e.Latency.Seconds()
		}
	}
	l := links{of: map[[2]int]float64{}}
	for u := range g.Len() {
		for _, v := range g.Neighbours(u) {
			names := []string{g.Label(u), g.Label(int(v))}
			slices.Sort(names)
			seconds, given := stated[[2]string{names[0], names[1]}]
			if !given {
				seconds = w.Latency.Seconds()
			}
			l.of[[2]int{u, int(v)}] = seconds
			l.slow = max(l.slow, seconds)
			l.hop += seconds / float64((1+max(g.Degree(u), g.Degree(int(v))))*g.Len())
		}
	}
	return l
}

// slowest returns the latency of the slowest edge of a node, and whether it has one to every other of n nodes.
func (l links) slowest(u, n int) (seconds float64, all bool) {
	count := 0
	for pair, s := range l.of {
		if pair[0] == u {
			count, seconds = count+1, max(seconds, s)
		}
	}
	return seconds, count == n-1
}
