package exposure

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/hearsay-dp/hearsay/attack/gradientinversion"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/terminal"
)

// An Exposed lists the attackers that could reconstruct a node.
type Exposed struct {
	Node       int                          `json:"node"`
	Neighbours int                          `json:"neighbours"`       // each sees the node's messages
	Looked     bool                         `json:"looked"`           // whether Alone covers all others; false if that would take too long
	Alone      []int                        `json:"alone,omitempty"`  // examined non-neighbours that could reconstruct it alone
	Beyond     *gradientinversion.Coalition `json:"beyond,omitempty"` // the smallest coalition of non-neighbours that could
	Possible   *bool                        `json:"possible,omitempty"`
}

// An Edge is an edge whose removal saves nodes from reconstruction.
type Edge struct {
	Ends  [2]int `json:"ends"`
	Saves []int  `json:"saves"` // nodes that are no longer reconstructed
}

// The limits of a search. Work is the budget of all views together, in multiplications, some ten seconds. MostEdges is the
// largest number of edges that are shown.
const (
	Work      = 4e9
	MostEdges = 5
)

// A Reach computes the nodes that sets of attackers reconstruct. A larger set reconstructs every node that a subset does.
type Reach struct {
	work   func(set []int) ([]int, error) // returns the nodes that a set reconstructs; both ascending
	Known  map[string][]int               // earlier results, by set
	Budget int                            // sets that may still be computed
	Cost   func(set []int) int            // share of Budget that a set uses; nil: 1
}

// NewReach returns a Reach whose results work computes. budget is the number of sets that may be computed; searches hold to it.
func NewReach(budget int, work func(set []int) ([]int, error)) *Reach {
	return &Reach{work: work, Known: map[string][]int{}, Budget: budget}
}

// Reconstructed returns the nodes that a set reconstructs, ascending. The set must be ascending. A new set reduces Budget, which
// may fall below 0.
func (r *Reach) Reconstructed(set []int) ([]int, error) {
	key := fmt.Sprint(set)
	if found, ok := r.Known[key]; ok {
		return found, nil
	}
	if r.Cost == nil {
		r.Budget--
	} else {
		r.Budget -= r.Cost(set)
	}
	found, err := r.work(set)
	if err == nil {
		r.Known[key] = found
	}
	return found, err
}

// Reconstructs reports whether a set, ascending, reconstructs node u.
func (r *Reach) Reconstructs(set []int, u int) (bool, error) {
	found, err := r.Reconstructed(set)
	_, ok := slices.BinarySearch(found, u)
	return ok, err
}

// A Search looks for the non-neighbours that could reconstruct each node of a graph.
type Search struct {
	*Reach
	Graph *graph.Graph
	Say   func(string)
	Near  int // number of nearest non-neighbours that are examined; 0: all
}

// All returns, for each node, the non-neighbours that could reconstruct it.
func (x *Search) All(ctx context.Context) ([]Exposed, error) {
	nodes := Unlooked(x.Graph)
	x.Say("looking for the smallest coalitions")
	if err := x.alone(ctx, nodes); err != nil {
		return nil, err
	}
	return nodes, x.coalitions(ctx, nodes)
}

// Unlooked returns an entry for each node of g in which only the number of neighbours is set.
func Unlooked(g *graph.Graph) (nodes []Exposed) {
	for u := range g.Len() {
		nodes = append(nodes, Exposed{Node: u, Neighbours: g.Degree(u)})
	}
	return nodes
}

// alone fills in Alone for all nodes, from the nodes that each attacker reconstructs alone.
func (x *Search) alone(ctx context.Context, nodes []Exposed) error {
	last := time.Now()
	for v := range nodes {
		if err := ctx.Err(); err != nil {
			return err
		}
		if time.Since(last) > time.Second {
			x.Say(fmt.Sprintf("attackers alone: %d of %d", v, len(nodes)))
			last = time.Now()
		}
		found, err := x.Reconstructed([]int{v})
		if err != nil {
			return err
		}
		for _, u := range found {
			if u != v && !slices.Contains(x.Graph.Neighbours(u), int32(v)) {
				nodes[u].Alone = append(nodes[u].Alone, v)
			}
		}
	}
	for u := range nodes {
		nodes[u].Looked = true
	}
	return nil
}

// coalitions looks for the smallest coalition of non-neighbours against each node, with an equal share of the remaining budget.
func (x *Search) coalitions(ctx context.Context, nodes []Exposed) error {
	last := time.Now()
	for u := range nodes {
		if err := ctx.Err(); err != nil {
			return err
		}
		if time.Since(last) > time.Second {
			x.Say(fmt.Sprintf("coalitions against %d of %d nodes", u, len(nodes)))
			last = time.Now()
		}
		node := &nodes[u]
		possible := len(node.Alone) > 0
		if possible {
			node.Beyond = &gradientinversion.Coalition{Low: 1, High: 1, Members: node.Alone[:1]}
		} else if x.Budget > 0 {
			left := (x.Budget + len(nodes) - u - 1) / (len(nodes) - u)
			candidates := strangers(x.Graph, u)
			some := x.Near > 0 && x.Near < len(candidates)
			if some {
				candidates = candidates[:x.Near]
			}
			c, ok, err := gradientinversion.Smallest(candidates, func(set []int) (bool, error) { return x.Reconstructs(set, u) }, left)
			if err != nil {
				return err
			}
			if possible = ok; ok {
				if some {
					c.Low = 1 // others may
				}
				c.Low = max(c.Low, min(2, c.High)) // nobody can alone
				node.Beyond = &c
			} else if some {
				continue
			}
		} else {
			continue
		}
		node.Possible = &possible
	}
	return nil
}

// Print writes how many nodes could be reconstructed by one non-neighbour, two, more or none.
func Print(w io.Writer, nodes []Exposed) {
	alone, pairs, more, none, asked := 0, 0, 0, 0, 0
	for _, n := range nodes {
		switch {
		case n.Possible == nil:
			continue
		case n.Beyond == nil:
			none++
		case n.Beyond.High == 1:
			alone++
		case n.Beyond.High == 2:
			pairs++
		default:
			more++
		}
		asked++
	}
	if asked > 0 {
		fmt.Fprintln(w, withoutNeighbours(asked, alone, pairs, more, none))
	}
}

// withoutNeighbours returns the sentence of Print. asked is the number of nodes that were examined.
func withoutNeighbours(asked, alone, pairs, more, none int) string {
	var by []string
	for _, who := range []struct {
		nodes int
		by    string
	}{{alone, "by one other alone"}, {pairs, "by two together"}, {more, "by a larger coalition"}, {none, "by nobody, not even all together"}} {
		if who.nodes > 0 {
			by = append(by, fmt.Sprintf("%d %s", who.nodes, who.by))
		}
	}
	return fmt.Sprintf("where no neighbour of a node helps, of %d nodes could be reconstructed: %s", asked, strings.Join(by, ", "))
}

// strangers returns the non-neighbours of u that a path reaches, ordered by hops and then by falling degree.
func strangers(g *graph.Graph, u int) (nodes []int) {
	hops := graph.NewSearch(g).From(u)
	for v, d := range hops {
		if d > 1 {
			nodes = append(nodes, v)
		}
	}
	slices.SortStableFunc(nodes, func(v, w int) int {
		if hops[v] != hops[w] {
			return int(hops[v] - hops[w])
		}
		return g.Degree(w) - g.Degree(v)
	})
	return nodes
}

// Edges removes one edge at a time and returns the edges whose removal saves most nodes, at most MostEdges. It tries all edges, or
// those of the attackers if Budget is too small for all, and none if it is too small for these. It skips edges whose removal
// disconnects the graph. without returns the Reach on a graph, or nil if there is none.
func (x *Search) Edges(ctx context.Context, attackers []int, without func(g *graph.Graph) (*Reach, error)) (best []Edge, err error) {
	before, err := x.Reconstructed(SortedSet(attackers))
	if err != nil {
		return nil, err
	}
	all := EdgesOf(x.Graph)
	some := EndsAmong(x.Graph, attackers)
	switch {
	case len(all) <= x.Budget:
		some = all
	case len(some) > x.Budget:
		return nil, nil
	}
	for _, e := range some {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		g, err := graph.FromEdges("without an edge", x.Graph.Len(), slices.DeleteFunc(slices.Clone(all), func(f [2]int) bool { return e == f }))
		if err != nil {
			return nil, err
		}
		if g.Connected() != nil {
			continue
		}
		other, err := without(g)
		if err != nil {
			return nil, err
		}
		if other == nil {
			continue
		}
		after, err := other.Reconstructed(SortedSet(attackers))
		if err != nil {
			return nil, err
		}
		saves := slices.DeleteFunc(slices.Clone(before), func(u int) bool { return slices.Contains(after, u) })
		if len(saves) > 0 {
			best = append(best, Edge{e, saves})
		}
	}
	slices.SortStableFunc(best, func(e, f Edge) int { return len(f.Saves) - len(e.Saves) })
	return best[:min(MostEdges, len(best))], nil
}

// SortedSet returns a copy of a set, ascending.
func SortedSet(set []int) []int {
	own := slices.Clone(set)
	slices.Sort(own)
	return own
}

// EdgesOf returns the edges of a graph, each once, the smaller end first.
func EdgesOf(g *graph.Graph) (all [][2]int) {
	for v := range g.Len() {
		for _, u := range g.Neighbours(v) {
			if int(u) > v {
				all = append(all, [2]int{v, int(u)})
			}
		}
	}
	return all
}

// EndsAmong returns the edges that have an end among nodes.
func EndsAmong(g *graph.Graph, nodes []int) [][2]int {
	return slices.DeleteFunc(EdgesOf(g), func(e [2]int) bool { return !slices.Contains(nodes, e[0]) && !slices.Contains(nodes, e[1]) })
}

// Attackers returns the nodes with these names, ascending. It returns an error if a name is unknown or named twice, or if all
// nodes attack.
func Attackers(h *family.Holdings, names []string) (set []int, err error) {
	known := func(name string) bool { _, err := h.Find(name); return err == nil }
	for _, name := range terminal.NameList(names, known) {
		v, err := h.Find(name)
		if err != nil {
			return nil, fault.Wrap(err, "--attackers", fault.Hint(err))
		}
		if slices.Contains(set, v) {
			return nil, fault.New(fmt.Sprintf("attacker %q is named twice", name), "name different nodes")
		}
		set = append(set, v)
	}
	if len(set) == h.Spec.Nodes {
		return nil, fault.New("all nodes attack, and nobody is left", "name fewer attackers")
	}
	slices.Sort(set)
	return set, nil
}

// StrangersAlone writes how many non-neighbours could reconstruct the node alone. The number is "at least" if not all were
// examined, and a dash if none was found among those.
func (n *Exposed) StrangersAlone() string {
	switch {
	case !n.Looked && len(n.Alone) > 0:
		return fmt.Sprintf("at least %d", len(n.Alone))
	case !n.Looked:
		return "–"
	}
	return fmt.Sprint(len(n.Alone))
}

// Name returns the name of node u, or its number if nodes have no names.
func Name(names []string, u int) string {
	if u < len(names) {
		return names[u]
	}
	return fmt.Sprint(u)
}

// Names lists the names of nodes, the first MostRows of many.
func Names(names []string, nodes []int) string {
	var list []string
	for _, u := range nodes {
		list = append(list, Name(names, u))
	}
	return terminal.Listed(list, MostRows)
}
