package graph

import (
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sparse"
)

// Rules lists the canonical names of the rules of NewTransition. The first is the default.
func Rules() []string { return []string{"hamilton", "metropolis", "max-degree", "uniform"} }

// canonical returns the canonical name of a rule that has several.
func canonical(rule string) string {
	if rule == "hamilton-printed" { // as 002 prints what its code calls hamilton
		return "metropolis"
	}
	return rule
}

// A Transition is the matrix W of a random walk on a graph, or of gossip. W_uv is the
// probability to go from u to v. It is 0 unless v is u or a neighbour of u. It is held as
// two numbers a node,
//
//	W_uv = min(cap_u, cap_v) / measure_u   for neighbours,   W_uu = the rest,
//
// so measure_u W_uv is symmetric on an undirected graph. The walk is then reversible, and
// its stationary distribution is proportional to measure.
type Transition struct {
	graph   *Graph
	rule    string
	cap     []float64 // bound on the flow over an edge of the node
	measure []float64 // nil means 1 everywhere
	lazy    int       // slots of a proposal that mean stay
	slots   int       // slots of a proposal if equal at all nodes, else 0
	own     *own      // the matrix itself if it is not of this form; cap is nil then
}

// NewTransition builds the matrix of a rule. d is the degree:
//
//   - hamilton: W_uv = 1/(1 + max(d_u, d_v)); what the papers' code uses.
//     Xiao, Boyd and Lall (2005) call these the Metropolis weights.
//   - metropolis: W_uv = 1/max(d_u, d_v). A neighbour is proposed uniformly and
//     accepted with probability min(1, d_u/d_v) (Metropolis-Hastings: 004,
//     Algorithm 1). 002 prints it after its Definition 2.9, so that it is also
//     known here as hamilton-printed; periodic on regular bipartite graphs.
//   - max-degree: W_uv = 1/(1 + max over all nodes of d).
//   - uniform: the simple random walk, W_uv = 1/d_u; of a directed graph 1
//     over the out-degree, so the directed ring goes forward.
//   - lazy:P and lazy:P,RULE: stays with probability P, else moves by the rule,
//     hamilton if it names none.
//   - edges and edges:LAW: by the weights that a file gives to edges (newOfEdges).
//
// Nodes without a neighbour stay. An empty rule means hamilton, or uniform on
// a directed graph, for which the others are an error.
func NewTransition(g *Graph, rule string) (*Transition, error) {
	if rest, lazy := strings.CutPrefix(rule, Lazy); lazy {
		return newLazy(g, rest)
	}
	if IsOfEdges(rule) {
		return newOfEdges(g, rule)
	}
	if rule == "" {
		rule = Rules()[0]
		if g.Directed() {
			rule = "uniform"
		}
	}
	if g.Directed() && rule != "uniform" {
		return nil, fault.New(sprintf("weights %s need an undirected graph, but %s is directed", rule, g.name),
			"use weights uniform, which go to each out-neighbour alike")
	}
	rule = canonical(rule)
	t := &Transition{graph: g, rule: rule}
	switch rule {
	case "hamilton":
		t.lazy = 1
		t.cap = t.perNode(func(u int) float64 { return 1 / float64(1+g.Degree(u)) })
	case "metropolis":
		t.cap = t.perNode(func(u int) float64 { return 1 / float64(max(1, g.Degree(u))) })
	case "max-degree":
		_, _, high := g.DegreeRange()
		t.slots = 1 + high
		t.cap = t.perNode(func(int) float64 { return 1 / float64(t.slots) })
	case "uniform":
		t.cap = t.perNode(func(int) float64 { return 1 })
		t.measure = t.perNode(func(u int) float64 { return float64(max(1, g.Degree(u))) })
	default:
		return nil, fault.New(sprintf("there are no weights %q", rule), "use one of "+joined(Rules())+", lazy:0.5, edges")
	}
	return t, nil
}

// NewWeighted builds the Metropolis-Hastings walk whose stationary distribution is
// proportional to weight (004, Algorithm 2, where weights are gradient-Lipschitz
// constants). weight holds one positive, finite number a node. A neighbour is proposed
// uniformly and accepted with probability min(1, weight_v d_u / (weight_u d_v)).
func NewWeighted(g *Graph, weight []float64) (*Transition, error) {
	if len(weight) != g.Len() {
		panic("graph: NewWeighted needs one weight a node")
	}
	if g.Directed() {
		return nil, fault.New(sprintf("a weighted walk needs an undirected graph, but %s is directed", g.name),
			"use weights uniform")
	}
	for u, w := range weight {
		if !(w > 0) || math.IsInf(w, 1) {
			return nil, fault.New(sprintf("node %s has weight %g", g.Label(u), w), "weights must be positive and finite")
		}
	}
	t := &Transition{graph: g, rule: "weighted"}
	t.measure = t.perNode(func(u int) float64 { return weight[u] })
	t.cap = t.perNode(func(u int) float64 { return weight[u] / float64(max(1, g.Degree(u))) })
	return t, nil
}

func (t *Transition) perNode(value func(u int) float64) []float64 {
	values := make([]float64, t.graph.Len())
	for u := range values {
		values[u] = value(u)
	}
	return values
}

// Graph returns the graph that the walk moves on.
func (t *Transition) Graph() *Graph { return t.graph }

// Rule returns the name of the rule. It is "weighted" for NewWeighted, and the name of the
// matrix for NewOwn.
func (t *Transition) Rule() string { return t.rule }

// Len returns the number of nodes.
func (t *Transition) Len() int { return t.graph.Len() }

func (t *Transition) measureOf(u int) float64 {
	if t.measure == nil {
		return 1
	}
	return t.measure[u]
}

// edge returns W_uv for neighbours.
func (t *Transition) edge(u, v int) float64 { return min(t.cap[u], t.cap[v]) / t.measureOf(u) }

// At returns the probability to go from u to v.
func (t *Transition) At(u, v int) float64 {
	switch {
	case u == v:
		return t.Self(u)
	case t.own != nil:
		return t.own.w.At(u, v)
	case t.graph.HasEdge(u, v):
		return t.edge(u, v)
	}
	return 0
}

// Self returns the probability to stay at u. It sums the proposals to stay and the
// rejections. No term is negative, so Self is exactly 0 if there are none.
func (t *Transition) Self(u int) float64 {
	if t.own != nil {
		return t.own.w.At(u, u)
	}
	row := t.graph.Neighbours(u)
	stay := float64(t.proposals(len(row))-len(row)) * t.cap[u]
	for _, v := range row {
		stay += t.cap[u] - min(t.cap[u], t.cap[v])
	}
	return stay / t.measureOf(u)
}

// proposals returns the number of equally likely slots that a node of that degree proposes:
// one for each neighbour, and the slots that mean stay.
func (t *Transition) proposals(degree int) int { return max(t.slots, degree+t.lazy, 1) }

// Sparse returns W in compressed rows, with an entry for every edge and on the diagonal.
func (t *Transition) Sparse() *sparse.Matrix {
	if t.own != nil {
		w := *t.own.w
		w.Values = slices.Clone(w.Values)
		return &w
	}
	n, g := t.Len(), t.graph
	m := &sparse.Matrix{
		N:       n,
		Offsets: make([]int, 1, n+1),
		Columns: make([]int32, 0, n+len(g.targets)),
		Values:  make([]float64, 0, n+len(g.targets)),
	}
	put := func(v int, w float64) {
		m.Columns = append(m.Columns, int32(v))
		m.Values = append(m.Values, w)
	}
	for u := range n {
		row := g.Neighbours(u)
		diagonal, _ := search(row, u)
		for _, v := range row[:diagonal] {
			put(int(v), t.edge(u, int(v)))
		}
		put(u, t.Self(u))
		for _, v := range row[diagonal:] {
			put(int(v), t.edge(u, int(v)))
		}
		m.Offsets = append(m.Offsets, len(m.Columns))
	}
	return m
}

// Mul sets dst = W x without forming W. Both must have Len() entries and must not overlap.
func (t *Transition) Mul(dst, x []float64) {
	if len(dst) != t.Len() || len(x) != t.Len() {
		panic("graph: Mul with a vector of the wrong length")
	}
	if t.own != nil {
		t.own.w.MulBlock(dst, x, 1)
		return
	}
	for u := range dst {
		own, at, sum := t.cap[u], x[u], 0.0
		for _, v := range t.graph.Neighbours(u) {
			flow := t.cap[v]
			if own < flow {
				flow = own
			}
			sum += float64(flow * (x[v] - at))
		}
		dst[u] = at + sum/t.measureOf(u)
	}
}
