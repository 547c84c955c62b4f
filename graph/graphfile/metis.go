package graphfile

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
)

// A metis is a METIS text (METIS 5 manual, 4.1.1). It has a line "nodes edges
// [fmt [ncon]]", then a line for each node with the numbers of its neighbours,
// from 1. fmt lists the weights between them: 100 a size and 10 ncon weights of
// the node first, 1 a weight after each neighbour. Lines starting with % are
// comments. A blank line is a node without neighbours.
type metis struct {
	nodes, edges, skip int
	weighted           bool
	lines              []line // one for each node
}

// tryMETIS reads a METIS text. is reports whether the text is METIS or is meant
// to be.
func tryMETIS(lines []line, s shape, name string) (g *graph.Graph, err error, is bool) {
	m, ok := metisOf(lines)
	if !ok {
		return nil, nil, false
	}
	b, err := m.read(name)
	if err == nil {
		g, err = b.Graph()
		return g, err, true
	}
	if s.even() || s.evenAfter(lines) || len(m.lines) != m.nodes { // an edge list whose first edge looks like sizes
		return nil, nil, false
	}
	return nil, fault.Wrap(err, name+" looks like METIS, but", "correct the line, or write the graph again: metis files name every edge at both ends"), true
}

// metisOf parses the header.
func metisOf(lines []line) (m metis, ok bool) {
	var rest []line
	for _, l := range lines {
		if len(l.text) == 0 || l.text[0] != '%' {
			rest = append(rest, l)
		}
	}
	for len(rest) > 0 && len(rest[0].text) == 0 {
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return m, false
	}
	header, ok := integers(rest[0].text, 0)
	if !ok || len(header) < 2 || len(header) > 4 || header[0] < 1 || header[0] > mostNodes || header[1] < 0 {
		return m, false
	}
	m.nodes, m.edges, m.lines = header[0], header[1], rest[1:]
	constraints := 1
	if len(header) == 4 {
		constraints = header[3]
	}
	format := 0
	if len(header) > 2 {
		format = header[2]
	}
	sizes, weights := format/100%10, format/10%10
	if format < 0 || format > 111 || format%10 > 1 || weights > 1 || constraints < 0 || constraints > 100 {
		return m, false
	}
	m.weighted, m.skip = format%10 == 1, sizes+weights*constraints
	return m, true
}

// read checks every line against the header, and every edge against its other
// end.
func (m metis) read(name string) (*builder, error) {
	for len(m.lines) > m.nodes && len(m.lines[len(m.lines)-1].text) == 0 {
		m.lines = m.lines[:len(m.lines)-1]
	}
	missing := m.nodes - len(m.lines)
	if missing < 0 || missing > 0 && len(m.lines) > 0 && m.nodes-len(m.lines) > trailingBlank {
		return nil, fmt.Errorf("its header promises %d nodes and %d lines follow", m.nodes, len(m.lines))
	}
	b := newBuilder(name)
	if err := b.numbered(m.nodes, len(m.lines)); err != nil {
		return nil, err
	}
	for u, l := range m.lines {
		if err := m.line(b, int32(u), l); err != nil {
			return nil, fmt.Errorf("line %d: %w", l.number, err)
		}
	}
	if !bothWays(b.Edges) {
		return nil, fmt.Errorf("not every edge is named at both ends")
	}
	weights := b.Dropped.Weights
	b.once()
	b.Dropped.Weights = (weights + 1) / 2
	if len(b.Edges) != m.edges {
		return nil, fmt.Errorf("its header promises %d edges, and it has %d", m.edges, len(b.Edges))
	}
	return b, nil
}

// trailingBlank is the number of blank lines that an editor may have removed at
// the end.
const trailingBlank = 1

// line reads the neighbours of node u.
func (m metis) line(b *builder, u int32, l line) error {
	words, ok := integers(l.text, 0)
	if !ok || len(words) < m.skip && len(l.text) > 0 {
		return fmt.Errorf("%q are no numbers of neighbours", clip(l.text))
	}
	words = words[min(m.skip, len(words)):]
	stride := 1
	if m.weighted {
		stride = 2
	}
	if len(words)%stride != 0 {
		return fmt.Errorf("a neighbour has no weight")
	}
	for k := 0; k < len(words); k += stride {
		if words[k] < 1 || words[k] > m.nodes {
			return fmt.Errorf("%d is no node of 1 to %d", words[k], m.nodes)
		}
		weight := noWeight
		if m.weighted {
			weight = float64(words[k+1])
		}
		b.edge(u, int32(words[k]-1), weight)
	}
	return nil
}
