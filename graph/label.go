package graph

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
)

// Label returns the name of node u: its id in the edge list, or its number.
func (g *Graph) Label(u int) string {
	if g.labels == nil {
		return strconv.Itoa(u)
	}
	return g.labels.names[u]
}

// appendLabel appends the label of u to text.
func (g *Graph) appendLabel(text []byte, u int) []byte {
	if g.labels == nil {
		return strconv.AppendInt(text, int64(u), 10)
	}
	return append(text, g.labels.names[u]...)
}

// Find returns the node called label.
func (g *Graph) Find(label string) (u int, found bool) {
	if g.labels == nil {
		k, ok := integer(label)
		return int(k), ok && k >= 0 && k < int64(g.Len())
	}
	return slices.BinarySearchFunc(g.labels.names, label, g.labels.order)
}

// labels holds the names of nodes 0.. in order: by value if all are integers,
// otherwise as strings.
type labels struct {
	names []string
	order func(a, b string) int
}

// sortLabels sorts names, which must be distinct, and returns them as labels. It
// returns nil if they are just 0..n-1.
func sortLabels(names []string) *labels {
	values := make([]int64, len(names))
	for u, name := range names {
		value, ok := integer(name)
		if !ok {
			slices.Sort(names)
			return &labels{names, cmp.Compare[string]}
		}
		values[u] = value
	}
	slices.Sort(values)
	for u, value := range values {
		names[u] = strconv.FormatInt(value, 10)
	}
	if values[0] == 0 && values[len(values)-1] == int64(len(values)-1) {
		return nil
	}
	return &labels{names, byValue}
}

// byValue compares two integers by value. Other strings come last.
func byValue(a, b string) int {
	x, okX := integer(a)
	y, okY := integer(b)
	switch {
	case okX && okY:
		return cmp.Compare(x, y)
	case okX:
		return -1
	case okY:
		return 1
	}
	return cmp.Compare(a, b)
}

// integer parses an integer in canonical form: no sign +, no leading zeros. Other
// spellings ("007") are names like any other.
func integer(s string) (int64, bool) {
	value, err := strconv.ParseInt(s, 10, 64)
	digits := strings.TrimPrefix(s, "-")
	return value, err == nil && s[0] != '+' && (digits[0] != '0' || s == "0")
}

// Labelled reports whether the ids differ from 0..n-1.
func (g *Graph) Labelled() bool { return g.Len() > 0 && g.Label(g.Len()-1) != strconv.Itoa(g.Len()-1) }

// Hint returns the hint for a name that no node has.
func (g *Graph) Hint(unknown string) string {
	names := make([]string, g.Len())
	for u := range names {
		names[u] = g.Label(u)
	}
	return cmp.Or(fault.DidYouMean(unknown, names), fmt.Sprintf("name one of its %d nodes, such as %s", g.Len(), g.Label(0)))
}

// Lookup returns the node with that id. Where no node has that id, text may be a
// number from 0, if no id of the graph is a number.
func (g *Graph) Lookup(text string) (u int, ok bool) {
	text = strings.TrimSpace(text)
	if u, ok := g.Find(text); ok {
		return u, true
	}
	number, err := strconv.Atoi(text)
	if err != nil || number < 0 || number >= g.Len() {
		return 0, false
	}
	for u := range g.Len() {
		if _, err := strconv.Atoi(g.Label(u)); err == nil {
			return 0, false
		}
	}
	return number, true
}
