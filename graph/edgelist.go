package graph

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hearsay-dp/hearsay/fault"
)

// An edgeList collects edges between named nodes.
type edgeList struct {
	directed bool
	ids      map[string]int32 // by first appearance
	pairs    [][2]int32
}

func newEdgeList() *edgeList { return &edgeList{ids: map[string]int32{}} }

// node returns the number of the node called name. It adds the node if it is
// new.
func (l *edgeList) node(name string) int32 {
	u, known := l.ids[name]
	if !known {
		u = int32(len(l.ids))
		l.ids[strings.Clone(name)] = u
	}
	return u
}

func (l *edgeList) add(u, v int32) { l.pairs = append(l.pairs, [2]int32{u, v}) }

// graph builds the graph. Nodes are renumbered in the order of their names.
func (l *edgeList) graph() *Graph {
	names := make([]string, 0, len(l.ids))
	for name := range l.ids {
		names = append(names, name)
	}
	labels := sortLabels(names)
	rank := make([]int32, len(names))
	for u, name := range names {
		rank[l.ids[name]] = int32(u)
	}
	pairs := slices.Clone(l.pairs)
	for i, p := range pairs {
		pairs[i] = [2]int32{rank[p[0]], rank[p[1]]}
	}
	g := FromPairs(len(names), pairs, l.directed)
	g.labels = labels
	return g
}

func (l *edgeList) has(name string) bool {
	_, known := l.ids[name]
	return known
}

// checkName refuses names that an edge list cannot carry, even in quotes.
func checkName(name string) error {
	bad := func(what string) error {
		return fault.New(sprintf("the node id %q %s", name, what), "ids are integers or text without control characters")
	}
	switch {
	case name == "":
		return bad("is empty")
	case !utf8.ValidString(name):
		return bad("is not UTF-8 text")
	case strings.ContainsFunc(name, unicode.IsControl):
		return bad("holds a control character")
	case strings.TrimSpace(name) != name:
		return bad("starts or ends with a space")
	case strings.HasPrefix(name, "\ufeff"):
		return bad("starts with a byte order mark")
	}
	return nil
}
