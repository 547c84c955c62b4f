package graph

import (
	"bufio"
	"io"
	"strings"
	"unicode"
)

// Write writes g as an edge list that Read reads back as the same graph. Each
// edge stands once, with its ids separated by a space. If an id has spaces,
// commas or quotes or starts like a comment, commas separate the ids, and ids
// are quoted where needed.
func Write(w io.Writer, g *Graph) error {
	b := bufio.NewWriterSize(w, 1<<16)
	direction := "undirected"
	if g.design.Directed {
		direction = "directed"
	}
	b.WriteString(Signature + sprintf("%s nodes=%d edges=%d %s\n", direction, g.Len(), g.Edges(), oneLine(g.name)))
	g.writeIsolated(b)
	separator := g.separator()
	var line []byte
	for u := range g.Len() {
		for _, v := range g.Neighbours(u) {
			if g.design.Directed || u < int(v) {
				line = append(g.appendQuoted(line[:0], u), separator...)
				b.Write(append(g.appendQuoted(line, int(v)), '\n'))
			}
		}
	}
	return b.Flush() // a bufio.Writer keeps its first error
}

// writeIsolated names the nodes that no edge names.
func (g *Graph) writeIsolated(b *bufio.Writer) {
	for u, touched := range g.touched() {
		if !touched {
			b.WriteString(Signature + "isolated " + g.Label(u) + "\n")
		}
	}
}

// touched reports for every node whether it is an end of an edge.
func (g *Graph) touched() []bool {
	touched := make([]bool, g.Len())
	for u := range touched {
		touched[u] = touched[u] || g.Degree(u) > 0
		if g.design.Directed {
			for _, v := range g.Neighbours(u) {
				touched[v] = true
			}
		}
	}
	return touched
}

func (g *Graph) separator() string {
	if g.labels != nil {
		for _, name := range g.labels.names {
			if strings.ContainsFunc(name, unicode.IsSpace) || mustQuote(name) {
				return ","
			}
		}
	}
	return " "
}

// mustQuote reports whether a name means something else outside of quotes.
func mustQuote(name string) bool {
	return strings.ContainsAny(name, ",\"") || strings.ContainsAny(name[:1], "#%{")
}

// appendQuoted appends the label of u to text, in quotes if it needs them.
func (g *Graph) appendQuoted(text []byte, u int) []byte {
	if g.labels == nil || !mustQuote(g.labels.names[u]) {
		return g.appendLabel(text, u)
	}
	return append(append(append(text, '"'), strings.ReplaceAll(g.labels.names[u], `"`, `""`)...), '"')
}

// oneLine replaces line breaks and repeated spaces so that a name fits a
// comment.
func oneLine(name string) string { return strings.Join(strings.Fields(name), " ") }
