package gen

import (
	"math/rand/v2"
	"slices"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/step"
)

func buildBarabasiAlbert(e *expression) *graph.Graph {
	n := e.integer("n", 2, graph.MaxNodes)
	m := e.integer("m", 1, max(n-1, 1))
	if !e.fits(float64(n), 2*float64(n)*float64(m)) {
		return nil
	}
	var stream step.Stream
	return barabasiAlbert(n, m, stream.At(e.seed, 0, 0, 0, step.Topology))
}

// barabasiAlbert starts from a star of m+1 nodes and joins each further node
// to m distinct ones, drawn in proportion to their current degrees (Barabasi
// and Albert 1999). The graph has m(n-m) edges.
func barabasiAlbert(n, m int, r *rand.Rand) *graph.Graph {
	pairs := make([][2]int32, 0, m*(n-m))
	for v := range m {
		pairs = append(pairs, [2]int32{int32(m), int32(v)})
	}
	chosen := make([]int32, 0, m)
	for u := m + 1; u < n; u++ {
		chosen = distinctEnds(chosen[:0], pairs, m, r)
		for _, v := range chosen {
			pairs = append(pairs, [2]int32{int32(u), v})
		}
	}
	return graph.FromPairs(n, pairs, false)
}

// distinctEnds draws ends of random edges until m different nodes are chosen.
// A random end is a node drawn in proportion to its degree.
func distinctEnds(chosen []int32, pairs [][2]int32, m int, r *rand.Rand) []int32 {
	for len(chosen) < m {
		k := r.IntN(2 * len(pairs))
		v := pairs[k/2][k%2]
		if !slices.Contains(chosen, v) {
			chosen = append(chosen, v)
		}
	}
	return chosen
}
