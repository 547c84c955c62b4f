package family

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph/gen"
)

// Names are what the nodes are called: as participants of a federation, by the
// edge list, else by the group whose rows they hold; nil if by their number
// alone.
func (h *Holdings) Names() []string {
	if h.Spec.Federated() {
		var names []string
		for _, p := range h.Spec.Participants {
			names = append(names, p.Name)
		}
		return names
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

// Name is what people call a node: its number, with its name if it has one.
func (h *Holdings) Name(node int) string {
	names := h.Names()
	if names == nil || names[node] == fmt.Sprintf("node %d", node) {
		return fmt.Sprintf("node %d", node)
	}
	return fmt.Sprintf("node %d (%s)", node, names[node])
}

// Find is the number of the node that is called so: by its name, or by its
// number where no node has that number as its name.
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
		hint = "name a node, such as " + names[0]
	}
	return 0, fault.New(fmt.Sprintf("there is no node %q among %d", called, h.Spec.Nodes), hint)
}

// numbered reports whether names are numbers of their own, which a node's place
// must not be taken for.
func numbered(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		number, found := strings.CutPrefix(name, "node ")
		_, err := strconv.Atoi(number)
		return found && err == nil
	})
}

// OwnNames are what the graph itself calls its nodes; nil for a generator that
// only numbers them, and without a graph.
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
