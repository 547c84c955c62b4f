package graphfile

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
)

// mostNodes is the largest number of nodes of a graph.
const mostNodes = 1 << 30

// mostLines is the largest number of lines of a text.
const mostLines = 1 << 24

// A line is a line of a text without surrounding spaces, numbered from 1.
type line struct {
	text   []byte
	number int
}

// silent reports whether a line is blank or a comment.
func (l *line) silent() bool { return len(l.text) == 0 || l.text[0] == '#' || l.text[0] == '%' }

// numberedLines returns the lines of a text. It returns nil if there are more than mostLines.
func numberedLines(text []byte) []line {
	if bytes.Count(text, []byte("\n")) > mostLines {
		return nil
	}
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

func tooMany(name string) error {
	return fault.New(fmt.Sprintf("%s has more than %d lines", name, mostLines), "give a smaller graph: nobody could price all pairs of so many nodes")
}

// clip shortens text for a message.
func clip(text []byte) []byte { return text[:min(len(text), 40)] }

// integers parses a line of exactly want integers; of any number of them if want is 0.
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

// readLines distinguishes the formats that hold lines of ids only: METIS, matrices, adjacency lists and edge lists.
func readLines(text []byte, name string, arrows bool) (*graph.Graph, error) {
	if bytes.HasPrefix(text, []byte(graph.Signature)) {
		return graph.Read(bytes.NewReader(text), name)
	}
	lines := numberedLines(text)
	if lines == nil {
		return nil, tooMany(name)
	}
	if b, err := readDense(lines, name); b != nil || err != nil {
		return built(b, err)
	}
	if columns(lines) {
		return readTable(lines, name, arrows)
	}
	shape := shapeOf(lines)
	if g, err, is := tryMETIS(lines, shape, name); is {
		return g, err
	}
	if shape.most > 2 {
		if b, is := adjacency(lines, name); is && (b.mutual || !shape.even()) {
			return b.Graph()
		}
	}
	if !shape.even() && !shape.evenAfter(lines) {
		return nil, fault.New(fmt.Sprintf("%s: line %d has %d words, line %d has %d: this is no edge list, no adjacency list with a line for every node, and not METIS",
			name, shape.leastAt, shape.least, shape.mostAt, shape.most), "separate ids by a tab or a comma if they have spaces; "+elseHint)
	}
	return readTable(lines, name, arrows)
}

func built(b *builder, err error) (*graph.Graph, error) {
	if err != nil {
		return nil, err
	}
	return b.Graph()
}

// A shape holds the smallest and largest number of words in a line, without comments and blank lines.
type shape struct {
	least, most, leastAt, mostAt int // and the numbers of those lines
}

func shapeOf(lines []line) shape {
	var s shape
	for _, l := range lines {
		if l.silent() {
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

// columns reports whether tabs, commas or semicolons separate columns in the first line with ids.
func columns(lines []line) bool {
	for _, l := range lines {
		if !l.silent() {
			return bytes.ContainsAny(l.text, ",;\t") && bytes.IndexByte(l.text, '{') < 0
		}
	}
	return false
}

// countWords counts the words of a line. Text in quotes counts as one word, and so do attributes in braces.
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

// even reports whether all lines have the same number of words.
func (s shape) even() bool { return s.least == s.most }

// evenAfter reports whether all lines after the first have the same number of words, at most 4. The first line may
// give the number of lines, or leave the last column without a name.
func (s shape) evenAfter(lines []line) bool {
	after := shapeOf(ofIDs(lines)[1:])
	return after.even() && after.most <= 4 && s.least == 2
}

// adjacency reads lines of a node and its neighbours, such as networkx writes. The text is an adjacency list only if
// every node has a line.
func adjacency(lines []line, name string) (*builder, bool) {
	b := newBuilder(name)
	for _, l := range lines {
		if !l.silent() {
			head := string(bytes.Fields(l.text)[0])
			if b.node(head, head) != nil {
				return nil, false
			}
		}
	}
	for _, l := range lines {
		if !l.silent() {
			words := bytes.Fields(l.text)
			for _, to := range words[1:] {
				if b.between(string(words[0]), string(to), noWeight) != nil {
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
