package graph

// Undirected returns g with an edge for every arrow, in whichever direction it points. An edge whose two
// arrows have different weights keeps both, and the edges rules refuse it.
func (g *Graph) Undirected() *Graph {
	var pairs [][2]int32
	var weights []float64
	rank := make([]int, g.Len())
	for u := range rank {
		rank[u] = u
		for k, v := range g.Neighbours(u) {
			if pairs = append(pairs, [2]int32{int32(u), v}); g.weights != nil {
				weights = append(weights, g.weights.of[g.offsets[u]+k])
			}
		}
	}
	both := FromPairs(g.Len(), pairs, false)
	both.name, both.labels, both.dropped = g.name, g.labels, g.dropped
	said := sprintf("%d arrows are %d edges, whichever way they go", g.Edges(), both.Edges())
	if g.dropped.Said != "" {
		said = g.dropped.Said + "; " + said
	}
	both.dropped.Said = said
	if weights == nil {
		return both
	}
	if both.weigh(pairs, weights, rank); g.weights.twice != nil {
		both.weights.twice = g.weights.twice
	}
	return both
}
