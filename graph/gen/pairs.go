package gen

import (
	"fmt"
	"strings"

	"github.com/hearsay-dp/hearsay/graph"
)

// mostPaired is the largest node number of a list of pairs.
const mostPaired = 1 << 16

// Pairs returns the expression that lists the edges of an undirected graph.
func Pairs(g *graph.Graph) string {
	var list []string
	for u := range g.Len() {
		for _, v := range g.Neighbours(u) {
			if u < int(v) {
				list = append(list, fmt.Sprintf("%d-%d", u, v))
			}
		}
	}
	return "pairs:" + strings.Join(list, "+")
}

// buildPairs builds the graph of a list of edges. Each node from 0 to the largest number must have one.
func buildPairs(e *expression) *graph.Graph {
	var pairs [][2]int32
	ends := map[int32]bool{}
	for item := range strings.SplitSeq(e.value("list"), "+") {
		from, to, _ := strings.Cut(item, "-")
		pair := [2]int32{int32(e.toInteger("list", from, 0, mostPaired)), int32(e.toInteger("list", to, 0, mostPaired))}
		pairs, ends[pair[0]], ends[pair[1]] = append(pairs, pair), true, true
	}
	if e.err != nil {
		return nil
	}
	for u := range int32(len(ends)) {
		if !ends[u] {
			e.fail(fmt.Sprintf("has no edge of node %d", u), "number nodes from 0 without a gap, such as "+e.generator.usage)
			return nil
		}
	}
	g := graph.FromPairs(len(ends), pairs, false)
	if g.Edges() < len(pairs) {
		e.fail("has an edge twice, or from a node to itself", "list each pair of two nodes once, such as "+e.generator.usage)
	}
	return g
}
