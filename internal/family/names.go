package family

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph/gen"
)

// Names returns the names of the nodes: those of a federation's participants, else the labels of the edge list, else the groups
// whose rows they hold. It returns nil if nodes have numbers only.
func (h *Holdings) Names() []string {
	if h.Spec.Federated() {
		return h.Spec.Names()
	}
	if h.Graph == nil {
		return h.Federation.Holders
	}
	names, own := make([]string, h.Graph.Len()), false
	for u := range names {
		names[u] = h.Graph.Label(u)
		own = own || names[u] != strconv.Itoa(u)
		if _, err := strconv.Atoi(names[u]); err == nil {
			names[u] = "node " + names[u]
		}
	}
	if !own {
		return h.Federation.Holders
	}
	return names
}

// Name returns a node's number, with its name if it has one.
func (h *Holdings) Name(node int) string {
	names := h.Names()
	if names == nil || names[node] == fmt.Sprintf("node %d", node) {
		return fmt.Sprintf("node %d", node)
	}
	return fmt.Sprintf("node %d (%s)", node, names[node])
}

// Find returns the number of the node with the given name or number. It refuses a number that is no name where some node has a
// number as its name.
func (h *Holdings) Find(called string) (int, error) {
	called = strings.TrimSpace(called)
	names := h.Names()
	for _, name := range []string{called, "node " + called} {
		if at := slices.Index(names, name); at >= 0 {
			if slices.Contains(names[at+1:], name) {
				return 0, fault.New(fmt.Sprintf("several nodes are called %q", called), "give its number, as in nodes.csv")
			}
			return at, nil
		}
	}
	node, err := strconv.Atoi(strings.TrimPrefix(called, "node "))
	if err == nil && node >= 0 && node < h.Spec.Nodes && !numbered(names) {
		return node, nil
	}
	hint := fmt.Sprintf("number nodes from 0 to %d", h.Spec.Nodes-1)
	if names != nil {
		hint = cmp.Or(fault.DidYouMean(called, names), "name a node, such as "+names[0])
	}
	return 0, fault.New(fmt.Sprintf("there is no node %q among %d", called, h.Spec.Nodes), hint)
}

// numbered reports whether some name is itself a number, which must not be confused with a node's index.
func numbered(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		number, found := strings.CutPrefix(name, "node ")
		_, err := strconv.Atoi(number)
		return found && err == nil
	})
}

// OwnNames returns the graph's own names of its nodes. It returns nil without a graph, and for a generator that only numbers
// its nodes.
func (g *Ground) OwnNames() []string {
	if g.Graph == nil {
		return nil
	}
	names, own := make([]string, g.Graph.Len()), false
	for u := range names {
		names[u] = g.Graph.Label(u)
		own = own || names[u] != strconv.Itoa(u)
	}
	if !own && gen.IsExpression(g.Spec.Graph) {
		return nil
	}
	return names
}
