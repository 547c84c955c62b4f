package file

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
)

// mostNodes is the most nodes of a graph.
const mostNodes = 1 << 30

// A line of a text, without spaces around, numbered from 1.
type line struct {
	text   []byte
	number int
}

func numberedLines(text []byte) []line {
	all := bytes.Split(text, []byte("\n"))
	if n := len(all); n > 1 && len(bytes.TrimSpace(all[n-1])) == 0 {
		all = all[:n-1]
	}
	lines := make([]line, len(all))
	for i, l := range all {
		lines[i] = line{bytes.TrimSpace(l), i + 1}
	}
	return lines
}

// clip shortens text for a message.
func clip(text []byte) []byte { return text[:min(len(text), 40)] }

// integers reads a line of exactly want integers, of any number if want is 0.
func integers(text []byte, want int) ([]int, bool) {
	words := bytes.Fields(text)
	if want > 0 && len(words) != want {
		return nil, false
	}
	values := make([]int, len(words))
	for i, word := range words {
		value, err := strconv.Atoi(string(word))
		if err != nil {
			return nil, false
		}
		values[i] = value
	}
	return values, true
}

// readLines tells apart the forms that are lines of ids only: METIS, adjacency
// lists and edge lists.
func readLines(text []byte, name string) (*graph.Graph, error) {
	lines := numberedLines(text)
	if bytes.HasPrefix(text, []byte("# hearsay ")) || columns(lines) {
		return graph.Read(bytes.NewReader(text), name)
	}
	shape := shapeOf(lines)
	if g, err, is := tryMETIS(lines, shape, name); is {
		return g, err
	}
	if shape.even() {
		if shape.most > 2 {
			if b, is := adjacency(lines, name); is && b.mutual {
				return b.Graph()
			}
		}
		return graph.Read(bytes.NewReader(text), name)
	}
	if shape.most > 2 {
		if b, is := adjacency(lines, name); is {
			return b.Graph()
		}
		return nil, fault.New(fmt.Sprintf("%s: line %d has %d words, line %d has %d: this is no edge list, no adjacency list with a line for every node, and not METIS",
			name, shape.leastAt, shape.least, shape.mostAt, shape.most), "separate ids by a tab or a comma if they have spaces; "+elseHint)
	}
	return graph.Read(bytes.NewReader(text), name)
}

// A shape is how many words the lines of a text have, comments and blank lines
// apart.
type shape struct {
	least, most, leastAt, mostAt int // and the lines where
}

func shapeOf(lines []line) shape {
	var s shape
	for _, l := range lines {
		if len(l.text) == 0 || l.text[0] == '#' || l.text[0] == '%' {
			continue
		}
		words := countWords(l.text)
		if s.least == 0 || words < s.least {
			s.least, s.leastAt = words, l.number
		}
		if words > s.most {
			s.most, s.mostAt = words, l.number
		}
	}
	return s
}

// columns reports whether the first line with ids has them in columns by tabs or
// commas.
func columns(lines []line) bool {
	for _, l := range lines {
		if len(l.text) > 0 && l.text[0] != '#' && l.text[0] != '%' {
			return bytes.ContainsAny(l.text, ",\t") && bytes.IndexByte(l.text, '{') < 0
		}
	}
	return false
}

// countWords counts the words of a line: what stands in quotes, and attributes in
// braces, are one each.
func countWords(text []byte) (words int) {
	for {
		text = bytes.TrimLeft(text, " \t")
		if len(text) == 0 {
			return words
		}
		words++
		end := bytes.IndexAny(text, " \t")
		switch text[0] {
		case '{':
			return words
		case '"':
			if close := bytes.IndexByte(text[1:], '"'); close >= 0 {
				end = close + 2
			}
		}
		if end < 0 {
			return words
		}
		text = text[end:]
	}
}

// even reports whether all lines have as many words.
func (s shape) even() bool { return s.least == s.most }

// adjacency reads lines of a node and its neighbours, such as networkx writes.
// It is one only if every node has a line of its own.
func adjacency(lines []line, name string) (*builder, bool) {
	b := newBuilder(name)
	for _, l := range lines {
		if len(l.text) > 0 && l.text[0] != '#' && l.text[0] != '%' {
			head := string(bytes.Fields(l.text)[0])
			if b.node(head, head) != nil {
				return nil, false
			}
		}
	}
	for _, l := range lines {
		if len(l.text) > 0 && l.text[0] != '#' && l.text[0] != '%' {
			words := bytes.Fields(l.text)
			for _, to := range words[1:] {
				if b.between(string(words[0]), string(to), 1) != nil {
					return nil, false
				}
			}
		}
	}
	if b.mutual = bothWays(b.Edges); b.mutual {
		b.once()
	}
	return b, true
}
