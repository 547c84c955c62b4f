package graph

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"io"
	"strconv"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
)

// maxLine is the longest line of an edge list, in bytes.
const maxLine = 1 << 20

// Read reads an undirected graph from an edge list: two node ids a line,
// separated by a comma or by spaces and tabs; further columns are ignored.
// Lines starting with # or % are comments. A first line is a header if its
// ids are no integers and all others are, or if it has commas and its ids
// occur nowhere else. Gzip is recognised by its first bytes.
//
// Ids may be 0..n-1 or anything: they are numbered in sorted order, integers
// by value, and kept as labels. Loops and repeats are dropped and counted
// (Dropped). What Write wrote is read back the same, isolated nodes and
// directions too. name becomes the graph's name and starts error messages.
func Read(r io.Reader, name string) (*Graph, error) {
	text, err := uncompressed(r)
	if err != nil {
		return nil, fault.Wrap(err, name+": the gzip header is damaged", "fetch or compress the file again")
	}
	reader := &reader{list: newEdgeList(), name: name}
	lines := bufio.NewScanner(text)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		reader.line++
		if err := reader.read(lines.Bytes()); err != nil {
			return nil, fault.Wrap(err, sprintf("%s line %d", name, reader.line), fault.Hint(err))
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fault.Wrap(err, sprintf("%s after line %d", name, reader.line),
			"the file is cut short or is not an edge list; fetch it again")
	}
	return reader.finish()
}

// uncompressed unpacks r if it starts like gzip.
func uncompressed(r io.Reader) (io.Reader, error) {
	b := bufio.NewReaderSize(r, 1<<16)
	if magic, _ := b.Peek(2); !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return b, nil
	}
	return gzip.NewReader(b)
}

// reader is the state between lines.
type reader struct {
	list         *edgeList
	name         string
	line         int
	first        *firstLine // until the end shows whether it is a header
	ours         bool       // Write wrote it: no header to look for
	nodes, edges int        // what it says it holds
}

type firstLine struct {
	text, u, v string
	commas     bool
}

// read takes in one line.
func (r *reader) read(line []byte) error {
	if r.line == 1 {
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	line = bytes.TrimSpace(line)
	if note, ours := bytes.CutPrefix(line, []byte(signature)); ours {
		return r.note(string(note))
	}
	if len(line) == 0 || line[0] == '#' || line[0] == '%' {
		return nil
	}
	u, v, commas, ok := cutLine(line)
	if !ok {
		return fault.New(sprintf("wants two node ids, not %q", line[:min(len(line), 40)]), "write one edge a line: two ids and a space, tab or comma between")
	}
	if r.first == nil && len(r.list.pairs) == 0 && !r.ours {
		r.first = &firstLine{string(line), string(u), string(v), commas}
		return nil
	}
	return r.edge(u, v)
}

// edge adds an edge. Names already known are not checked again.
func (r *reader) edge(u, v []byte) error {
	a, err := r.node(u)
	if err != nil {
		return err
	}
	b, err := r.node(v)
	if err != nil {
		return err
	}
	r.list.add(a, b)
	return nil
}

func (r *reader) node(name []byte) (int32, error) {
	if u, known := r.list.ids[string(name)]; known {
		return u, nil
	}
	if err := checkName(string(name)); err != nil {
		return 0, err
	}
	return r.list.node(string(name)), nil
}

// cutLine splits off the first two ids of a line, quotes around them removed.
func cutLine(line []byte) (u, v []byte, commas, ok bool) {
	if u, rest, found := bytes.Cut(line, []byte(",")); found {
		v, _, _ := bytes.Cut(rest, []byte(","))
		return unquote(u), unquote(v), true, true
	}
	space := bytes.IndexAny(line, " \t")
	if space < 0 {
		return nil, nil, false, false
	}
	v = bytes.TrimLeft(line[space:], " \t")
	if end := bytes.IndexAny(v, " \t"); end >= 0 {
		v = v[:end]
	}
	return unquote(line[:space]), unquote(v), false, true
}

func unquote(field []byte) []byte {
	field = bytes.TrimSpace(field)
	if n := len(field); n >= 2 && field[0] == '"' && field[n-1] == '"' {
		return bytes.TrimSpace(field[1 : n-1])
	}
	return field
}

// note reads one of the lines that Write puts before the edges:
// "directed nodes=3 edges=2 ..", "undirected ..", "isolated ID".
func (r *reader) note(text string) error {
	word, rest, _ := strings.Cut(text, " ")
	switch word {
	case "isolated":
		_, err := r.node([]byte(strings.TrimSpace(rest)))
		return err
	case "directed", "undirected":
		r.ours, r.list.directed = true, word == "directed"
		var err error
		r.nodes, r.edges, err = counts(rest)
		return err
	}
	return fault.New(sprintf("does not know the note %q", text), "remove the line, or read the file with a newer version")
}

// counts reads "nodes=3 edges=2", whatever follows.
func counts(text string) (nodes, edges int, err error) {
	fields := strings.Fields(text)
	if len(fields) >= 2 {
		n, okN := strings.CutPrefix(fields[0], "nodes=")
		m, okM := strings.CutPrefix(fields[1], "edges=")
		nodes, errN := strconv.Atoi(n)
		edges, errM := strconv.Atoi(m)
		if okN && okM && errN == nil && errM == nil {
			return nodes, edges, nil
		}
	}
	return 0, 0, fault.New(sprintf("wants nodes=.. edges=.., not %q", text), "remove the line, or write the file again")
}

// finish decides about the first line and builds the graph.
func (r *reader) finish() (*Graph, error) {
	header := ""
	if first := r.first; first != nil {
		if r.isHeader(first) {
			header = first.text
		} else if err := r.edge([]byte(first.u), []byte(first.v)); err != nil {
			return nil, fault.Wrap(err, r.name+" first line", fault.Hint(err))
		}
	}
	if len(r.list.ids) == 0 {
		return nil, fault.New(r.name+": there is no edge in it", "write one edge a line: two node ids and a space between")
	}
	g := r.list.graph()
	g.name, g.dropped.Header = r.name, header
	if r.ours && (g.Len() != r.nodes || g.Edges() != r.edges) {
		return nil, fault.New(sprintf("%s: it says it holds %d nodes and %d edges, but holds %d and %d",
			r.name, r.nodes, r.edges, g.Len(), g.Edges()),
			"the file is cut short or was edited; write it again, or remove its first line")
	}
	return g, nil
}

func (r *reader) isHeader(first *firstLine) bool {
	if len(r.list.pairs) == 0 {
		return false
	}
	_, integerU := integer(first.u)
	_, integerV := integer(first.v)
	if integerU || integerV {
		return false
	}
	return r.list.allIntegers() || first.commas && !r.list.has(first.u) && !r.list.has(first.v)
}
