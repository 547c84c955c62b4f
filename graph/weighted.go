package graph

import (
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// OfEdges is the prefix of the rules that use the edge weights of a file: edges, edges:proportional.
const OfEdges = "edges"

// laws lists the words that may follow OfEdges and a colon. The first is the default.
func laws() []string { return []string{"metropolis", "laplacian", "proportional"} }

// IsOfEdges reports whether a rule, lazy or not, uses edge weights.
func IsOfEdges(rule string) bool {
	if rest, lazy := strings.CutPrefix(rule, Lazy); lazy {
		_, rule, _ = strings.Cut(rest, ",")
	}
	return rule == OfEdges || strings.HasPrefix(rule, OfEdges+":")
}

// edgeWeights holds the weights that a file gives to edges.
type edgeWeights struct {
	of    []float64 // in the order of the targets of the graph; NaN if the file gives none
	twice *[2]int   // the first edge that has two, if any
}

// weigh stores the weights of the listed edges. Listed node u has number rank[u].
func (g *Graph) weigh(edges [][2]int32, weights []float64, rank []int) {
	w := &edgeWeights{of: make([]float64, len(g.targets))}
	set := make([]bool, len(g.targets))
	put := func(u, v int, x float64) {
		k, _ := search(g.Neighbours(u), v)
		switch k += g.offsets[u]; {
		case !set[k]:
			set[k], w.of[k] = true, x
		case w.of[k] != x && (x == x || w.of[k] == w.of[k]) && w.twice == nil:
			w.twice = &[2]int{u, v}
		}
	}
	for k, e := range edges {
		u, v := rank[e[0]], rank[e[1]]
		if u == v {
			continue
		}
		if put(u, v, weights[k]); !g.design.Directed {
			put(v, u, weights[k])
		}
	}
	g.weights = w
}

// checkWeights returns an error unless every edge has one weight above 0.
func (g *Graph) checkWeights() error {
	const hint = "give every edge one weight above 0, or use weights: hamilton, which needs none"
	if g.weights == nil {
		return fault.New(sprintf("weights: edges of %s have none", g.name), "give a graph file with a weight for every edge, or use weights: hamilton")
	}
	if e := g.weights.twice; e != nil {
		return fault.New(sprintf("weights: %s gives the edge between nodes %s and %s two weights", g.name, g.Label(e[0]), g.Label(e[1])), hint)
	}
	for u := range g.Len() {
		for k, v := range g.Neighbours(u) {
			switch x := g.weights.of[g.offsets[u]+k]; {
			case x != x:
				return fault.New(sprintf("weights: %s gives the edge from node %s to node %s no weight, and others one", g.name, g.Label(u), g.Label(int(v))), hint)
			case !(x > 0) || math.IsInf(x, 1):
				return fault.New(sprintf("weights: %s gives the edge from node %s to node %s the weight %g", g.name, g.Label(u), g.Label(int(v)), x), hint)
			}
		}
	}
	return nil
}

// newOfEdges builds the matrix of edges with weights w_uv, where s_u is the sum of the weights of the
// edges of u:
//
//   - edges:metropolis, and edges: W_uv = w_uv / max(s_u, s_v)
//   - edges:laplacian: W_uv = w_uv / max over all nodes of s, I less a multiple of the Laplacian
//   - edges:proportional: W_uv = w_uv / s_u, the walk that takes edges in proportion to their weights
//
// The first two are symmetric. They have no laziness on a bipartite graph whose s are all equal, so
// the walk is periodic there.
func newOfEdges(g *Graph, rule string) (*Transition, error) {
	law := strings.TrimPrefix(strings.TrimPrefix(rule, OfEdges), ":")
	if law == "" {
		law = laws()[0]
	}
	switch {
	case !slices.Contains(laws(), law):
		return nil, fault.New(sprintf("there are no weights %q", rule), "use one of "+OfEdges+":"+strings.Join(laws(), ", "+OfEdges+":"))
	case g.Directed() && law != "proportional":
		return nil, fault.New(sprintf("weights %s:%s need an undirected graph, but %s is directed", OfEdges, law, g.name), "use weights: edges:proportional, which goes along arrows, with kind: walk")
	}
	if err := g.checkWeights(); err != nil {
		return nil, err
	}
	sums, err := g.strengths()
	if err != nil {
		return nil, err
	}
	t := &Transition{graph: g.mixedBy(), rule: OfEdges + ":" + law}
	w, most := placesOf(g), slices.Max(sums)
	for u := range g.Len() {
		columns, row := w.Row(u)
		stay, at, next := 0.0, 0, g.offsets[u]
		for k, v := range columns {
			if int(v) == u {
				at = k
				continue
			}
			x, scale := g.weights.of[next], sums[u]
			next++
			switch law {
			case "metropolis":
				scale = max(sums[u], sums[v])
			case "laplacian":
				scale = most
			}
			if row[k] = x / scale; row[k] == 0 {
				return nil, fault.New(sprintf("weights: %s gives the edge from node %s to node %s %g, which is nothing beside %g", g.name, g.Label(u), g.Label(int(v)), x, scale),
					"leave the edge out, or give it a larger weight")
			}
			stay += x/sums[u] - row[k]
		}
		if row[at] = stay; len(columns) == 1 {
			row[at] = 1
		}
	}
	t.own = newOwn(w)
	t.own.given, t.own.reversible = true, !g.Directed()
	if law == "proportional" && !g.Directed() {
		t.measure = sums
	}
	return t, nil
}

// mixedBy returns g with its edge weights marked as used and without Symmetry, which the weights need
// not have.
func (g *Graph) mixedBy() *Graph {
	used := g.With(Design{Directed: g.design.Directed, Place: g.design.Place})
	used.dropped.Weights = 0
	return used
}

// strengths returns the sums of the edge weights of every node. It is 1 for a node without edges.
func (g *Graph) strengths() ([]float64, error) {
	sums := make([]float64, g.Len())
	for u := range sums {
		if sums[u] = total(g.weights.of[g.offsets[u]:g.offsets[u+1]]); g.Degree(u) == 0 {
			sums[u] = 1
		}
		if math.IsInf(sums[u], 1) {
			return nil, fault.New(sprintf("weights: those of the edges of node %s in %s sum to more than numbers hold", g.Label(u), g.name), "divide all weights by the same number")
		}
	}
	return sums, nil
}
