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

// Read reads the edge list that Write wrote and returns the same graph, with isolated nodes, names and directions. Gzip
// is recognised by its first bytes. name becomes the name of the graph and starts error messages. Package
// graph/graphfile reads the files of other programs.
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

// Signature starts the first line of the files that Write writes.
const Signature = "# hearsay "

// reader is the state between lines.
type reader struct {
	list         *edgeList
	name         string
	line         int
	fields       [][]byte
	begun        bool // its first line has been read
	nodes, edges int  // the counts that the file states
}

// read processes one line.
func (r *reader) read(line []byte) error {
	line = bytes.TrimSpace(line)
	if note, ours := bytes.CutPrefix(line, []byte(Signature)); ours {
		return r.note(string(note))
	}
	if len(line) == 0 || line[0] == '#' {
		return nil
	}
	if !r.begun {
		return fault.New(sprintf("wants a first line %q, not %q", Signature+"undirected nodes=.. edges=..", line[:min(len(line), 40)]), "hearsay graph make writes it")
	}
	separator := byte(' ')
	if bytes.IndexByte(line, ',') >= 0 {
		separator = ','
	}
	var err error
	if r.fields, err = Fields(r.fields[:0], line, separator); err != nil {
		return err
	}
	if len(r.fields) != 2 {
		return fault.New(sprintf("wants two node ids, not %q", line[:min(len(line), 40)]), "the file was edited: write it again")
	}
	a, err := r.node(r.fields[0])
	if err != nil {
		return err
	}
	b, err := r.node(r.fields[1])
	r.list.add(a, b)
	return err
}

// node returns the number of the node called name. Names already known are not checked again.
func (r *reader) node(name []byte) (int32, error) {
	if u, known := r.list.ids[string(name)]; known {
		return u, nil
	}
	if err := checkName(string(name)); err != nil {
		return 0, err
	}
	return r.list.node(string(name)), nil
}

// note reads one of the lines that Write puts before the edges: "directed nodes=3 edges=2 ..", "undirected ..",
// "isolated ID".
func (r *reader) note(text string) error {
	word, rest, _ := strings.Cut(text, " ")
	switch word {
	case "isolated":
		_, err := r.node([]byte(strings.TrimSpace(rest)))
		return err
	case "directed", "undirected":
		r.begun, r.list.directed = true, word == "directed"
		var err error
		r.nodes, r.edges, err = counts(rest)
		return err
	}
	return fault.New(sprintf("does not know the note %q", text), "remove the line, or read the file with a newer version")
}

// counts parses "nodes=3 edges=2" and ignores the rest.
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

// finish builds the graph and checks the stated counts.
func (r *reader) finish() (*Graph, error) {
	if len(r.list.ids) == 0 {
		return nil, fault.New(r.name+": there is no node in it", "write the graph again: hearsay graph make EXPRESSION --out FILE")
	}
	g := r.list.graph()
	g.name = r.name
	if g.Len() != r.nodes || g.Edges() != r.edges {
		return nil, fault.New(sprintf("%s: it says it holds %d nodes and %d edges, but holds %d and %d",
			r.name, r.nodes, r.edges, g.Len(), g.Edges()),
			"the file is cut short or was edited; write it again, or remove its first line")
	}
	return g, nil
}
