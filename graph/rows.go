package graph

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// Limits of a graph: nodes are int32, and 2^31 row entries take 8 GB.
const (
	MaxNodes   = math.MaxInt32
	MaxEntries = 1 << 31
)

// sprintf is fmt.Sprintf under a short name, for messages.
func sprintf(format string, a ...any) string { return fmt.Sprintf(format, a...) }

// joined joins words for a message.
func joined(words []string) string { return strings.Join(words, ", ") }

// FromEdges builds an undirected graph of n nodes 0..n-1 from its edges, in any order
// and either direction. Loops and repeats are dropped and counted. It fails if an end
// lies outside 0..n-1.
func FromEdges(name string, n int, edges [][2]int) (*Graph, error) {
	if n < 1 || n > MaxNodes {
		return nil, fault.New(sprintf("a graph cannot have %d nodes", n), "give at least one node")
	}
	pairs := make([][2]int32, len(edges))
	for i, e := range edges {
		if min(e[0], e[1]) < 0 || max(e[0], e[1]) >= n {
			return nil, fault.New(sprintf("edge %d joins nodes %d and %d, but nodes are 0..%d", i, e[0], e[1], n-1),
				"number the nodes from 0, or give the graph more nodes")
		}
		pairs[i] = [2]int32{int32(e[0]), int32(e[1])}
	}
	g := FromPairs(n, pairs, false)
	g.name = name
	return g, nil
}

// FromNames builds an undirected graph from edges between names, which become its
// labels. Nodes are numbered as Read numbers them. It fails on a name that an edge list
// cannot carry.
func FromNames(name string, edges [][2]string) (*Graph, error) {
	if len(edges) == 0 {
		return nil, fault.New("a graph of names has no edges", "give at least one")
	}
	list := newEdgeList()
	for _, e := range edges {
		for _, end := range e {
			if err := checkName(end); err != nil {
				return nil, err
			}
		}
		list.add(list.node(e[0]), list.node(e[1]))
	}
	return list.graph().Named(name), nil
}

// FromRows builds a graph of n nodes row by row. neighbours appends those of u to row in
// any order; u itself and repeats are dropped. capacity is the expected number of
// entries, which avoids copies. Unless the graph is directed (With), the rows must be
// symmetric: if v is in the row of u, u must be in the row of v.
func FromRows(n, capacity int, neighbours func(row []int32, u int) []int32) *Graph {
	g := &Graph{offsets: make([]int, 1, n+1), targets: make([]int32, 0, capacity)}
	for u := range n {
		start := len(g.targets)
		g.targets = neighbours(g.targets, u)
		g.targets = g.targets[:start+len(tidy(g.targets[start:], u))]
		g.offsets = append(g.offsets, len(g.targets))
	}
	return g
}

// FromPairs builds a graph of n nodes from edges by counting sort. Loops and repeats are
// dropped and counted. It panics on an end outside 0..n-1; FromEdges checks edges that
// come from outside.
func FromPairs(n int, pairs [][2]int32, directed bool) *Graph {
	g := &Graph{design: Design{Directed: directed}, offsets: rowStarts(n, pairs, directed)}
	g.targets = make([]int32, g.offsets[n])
	next := slices.Clone(g.offsets[:n])
	put := func(u, v int32) {
		g.targets[next[u]] = v
		next[u]++
	}
	for _, p := range pairs {
		if p[0] == p[1] {
			g.dropped.Loops++
			continue
		}
		put(p[0], p[1])
		if !directed {
			put(p[1], p[0])
		}
	}
	g.compact()
	g.dropped.Repeats = len(pairs) - g.dropped.Loops - g.Edges()
	return g
}

// rowStarts counts the entries of every row without loops. It returns the n+1 offsets
// where rows start.
func rowStarts(n int, pairs [][2]int32, directed bool) []int {
	starts := make([]int, n+1)
	for _, p := range pairs {
		if p[0] == p[1] {
			continue
		}
		starts[p[0]+1]++
		if !directed {
			starts[p[1]+1]++
		}
	}
	for u := range n {
		starts[u+1] += starts[u]
	}
	return starts
}

// compact sorts every row, drops repeats and closes the gaps, in place.
func (g *Graph) compact() {
	end := 0
	for u := range g.Len() {
		row := tidy(g.targets[g.offsets[u]:g.offsets[u+1]], u)
		g.offsets[u] = end
		end += copy(g.targets[end:], row)
	}
	g.offsets[g.Len()] = end
	g.targets = slices.Clip(g.targets[:end])
}

// tidy sorts the row of u in place and returns it without u and without repeats.
func tidy(row []int32, u int) []int32 {
	slices.Sort(row)
	row = slices.Compact(row)
	if k, found := search(row, u); found {
		row = slices.Delete(row, k, k+1)
	}
	return row
}

// search finds v in a sorted row.
func search(row []int32, v int) (int, bool) { return slices.BinarySearch(row, int32(v)) }
