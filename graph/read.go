package graph

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
)

// maxLine is the longest line of an edge list, in bytes.
const maxLine = 1 << 20

// Read reads an undirected graph from an edge list: two node ids a line,
// separated by a tab, else by a comma, else by spaces. Ids that hold a
// separator stand in double quotes. A third column may be a weight, which is
// counted and not used; so are further columns (Dropped). Lines starting with #
// or % are comments. A first line is a header if its ids are no integers and
// all others are, or if they occur nowhere else and it has tabs or commas or
// both are what columns of ends are usually called. Gzip is recognised by its
// first bytes.
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

	weights, columns int // lines with a weight, with other columns
}

type firstLine struct {
	text string
	cut  cut // on a copy of the line
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
	c, err := cutLine(line)
	if err != nil {
		return err
	}
	if r.first == nil && len(r.list.pairs) == 0 && !r.ours {
		text := string(line)
		c, err = cutLine([]byte(text))
		r.first = &firstLine{text, c}
		return err
	}
	return r.edge(c)
}

// edge adds an edge. Names already known are not checked again.
func (r *reader) edge(c cut) error {
	a, err := r.node(c.u)
	if err != nil {
		return err
	}
	b, err := r.node(c.v)
	if err != nil {
		return err
	}
	r.list.add(a, b)
	switch {
	case len(c.third) == 0:
	case c.weight() != 1:
		r.weights++
	case c.more:
		r.columns++
	}
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
		} else if err := r.edge(first.cut); err != nil {
			return nil, fault.Wrap(err, r.name+" first line", fault.Hint(err))
		}
	}
	if len(r.list.ids) == 0 {
		return nil, fault.New(r.name+": there is no edge in it", "write one edge a line: two node ids and a space between")
	}
	g := r.list.graph()
	g.name, g.dropped.Header = r.name, header
	g.dropped.Weights, g.dropped.Columns = r.weights, r.columns
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
	u, v := string(first.cut.u), string(first.cut.v)
	_, integerU := integer(u)
	_, integerV := integer(v)
	if integerU || integerV {
		return false
	}
	usual := slices.Contains(endNames, strings.ToLower(u)) && slices.Contains(endNames, strings.ToLower(v))
	return r.list.allIntegers() || (first.cut.separator != ' ' || usual) && !r.list.has(u) && !r.list.has(v)
}

// endNames are what columns with the ends of edges are usually called.
var endNames = strings.Fields("source target src dst from to u v i j head tail node1 node2 node_1 node_2 node_a node_b" +
	" id1 id2 fromnodeid tonodeid sourceid targetid start end")
