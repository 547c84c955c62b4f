package graphfile

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"regexp"
	"strconv"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/textfile"
)

// mostText is the largest size in bytes of the unpacked text of a graph.
const mostText = 1 << 28

// Read reads a graph in any supported format: Matrix Market, GraphML, GML, METIS, adjacency lists, edge lists;
// also compressed with gzip. The first bytes and the lines decide the format, not the name. name becomes the
// name of the graph and starts error messages.
func Read(r io.Reader, name string) (*graph.Graph, error) { return ReadAs(r, name, nil) }

// ReadAs is Read with a choice of direction: see OpenAs.
func ReadAs(r io.Reader, name string, directed *bool) (*graph.Graph, error) {
	text, err := uncompressed(r)
	if err != nil {
		return nil, fault.Wrap(err, name, "the file is damaged, cut short or too long; fetch it again")
	}
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if err := checkText(text, name); err != nil {
		return nil, err
	}
	read := form(text)
	g, err := read(text, name, directed != nil && *directed)
	if err != nil && fault.Hint(err) == "" {
		err = fault.Wrap(err, name, elseHint)
	}
	switch {
	case err != nil || directed == nil || *directed == g.Directed():
		return g, err
	case *directed:
		return nil, fault.New(fmt.Sprintf("directed: true, but %s says itself that its edges go both ways", name), "leave directed out, or write a line for every arrow: its two ends")
	}
	return g.Undirected(), nil
}

// elseHint is the hint of errors that have no better one.
const elseHint = "write the graph as an edge list, two ids a line, as GraphML or as GML; networkx.write_graphml(g, path) does"

// uncompressed returns all of r, unpacked if it starts like gzip.
func uncompressed(r io.Reader) ([]byte, error) {
	b := bufio.NewReaderSize(r, 1<<16)
	var from io.Reader = b
	if magic, _ := b.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, fmt.Errorf("the gzip header is damaged: %w", err)
		}
		from = z
	}
	text, err := io.ReadAll(io.LimitReader(from, mostText+1))
	if err == nil && len(text) > mostText {
		err = fmt.Errorf("it is longer than %d bytes", mostText)
	}
	return text, err
}

// checkText refuses bytes that are no text. XML declares its own encoding.
func checkText(text []byte, name string) error {
	if !bytes.HasPrefix(bytes.TrimSpace(text), []byte("<")) {
		return textfile.Check(text, name)
	}
	if bytes.IndexByte(text, 0) >= 0 {
		return fault.New(name+" is not text: it holds a zero byte", "give UTF-8 text; UTF-16 has such bytes: iconv -f UTF-16 -t UTF-8 "+name+" > utf8.txt")
	}
	return nil
}

// A reader makes a graph of a whole text. If arrows, lines of two ends are arrows unless the text states a
// direction.
type reader func(text []byte, name string, arrows bool) (*graph.Graph, error)

// foreign lists formats that are recognised but not read.
var foreign = []struct {
	start *regexp.Regexp
	what  string
}{
	{regexp.MustCompile(`^>>(graph|sparse|digraph)6<<`), "graph6"},
	{regexp.MustCompile(`^[\[{]`), "JSON"},
	{regexp.MustCompile(`(?i)^(%[^\n]*\n)*\*(vertices|network)\b`), "Pajek"},
	{regexp.MustCompile(`(?i)^dl\b.*\bn\s*=`), "UCINET DL"},
	{regexp.MustCompile(`^(//[^\n]*\n|\s)*(strict\s+)?(di)?graph\b[^\n\[]*\{`), "Graphviz DOT"},
	{regexp.MustCompile(`^(c\b[^\n]*\n)*p\s+\w+\s+\d+\s+\d+`), "DIMACS"},
	{regexp.MustCompile(`^nodedef>`), "GDF"},
	{regexp.MustCompile(`^@(nodes|arcs|edges)\b`), "LEMON"},
	{regexp.MustCompile(`^%%MatrixMarket\s+vector`), "a Matrix Market vector"},
}

var gmlStart = regexp.MustCompile(`(?i)^((#[^\n]*\n)|\s|(creator|version|comment)\s+("[^"]*"|\S+))*graph\s*\[`)

// form returns the reader of the format of a text.
func form(text []byte) reader {
	start := bytes.TrimSpace(text[:min(len(text), 1<<16)])
	for _, f := range foreign {
		if f.start.Match(start) {
			return func(_ []byte, name string, _ bool) (*graph.Graph, error) {
				return nil, fault.New(fmt.Sprintf("%s is a graph in the form %s, which is not read", name, f.what), elseHint)
			}
		}
	}
	switch {
	case bytes.HasPrefix(bytes.ToLower(start[:min(len(start), 14)]), []byte("%%matrixmarket")), bytes.HasPrefix(bytes.ToLower(start[:min(len(start), 13)]), []byte("%matrixmarket")):
		return readMatrixMarket
	case bytes.HasPrefix(start, []byte("<")):
		return readGraphML
	case gmlStart.Match(start):
		return readGML
	}
	return readLines
}

// A builder collects the nodes and edges that a text lists.
type builder struct {
	graph.Listed
	at     map[string]int32 // nodes by the names that edges use
	mutual bool             // every edge of the adjacency list occurs at both ends
}

func newBuilder(name string) *builder {
	return &builder{Listed: graph.Listed{Name: name}, at: map[string]int32{}}
}

// node adds the node that edges call id.
func (b *builder) node(id, name string) error {
	if _, known := b.at[id]; known {
		return fmt.Errorf("two nodes have the id %q", id)
	}
	b.at[id] = int32(len(b.Nodes))
	b.Nodes = append(b.Nodes, name)
	return nil
}

// numbered adds the nodes 1 to n of a text that gives only their number. It fails if n is too large for lines
// lines.
func (b *builder) numbered(n, lines int) error {
	if most := alonePerLine * (lines + 1000); n > most {
		return fmt.Errorf("it says that it has %d nodes, and has %d lines", n, lines)
	}
	for u := 1; u <= n; u++ {
		b.Nodes = append(b.Nodes, strconv.Itoa(u))
	}
	return nil
}

// alonePerLine bounds the nodes that a text may promise for each of its lines. Beyond it nearly all nodes
// would have no edge.
const alonePerLine = 100

// noWeight is the weight of an edge without one.
var noWeight = math.NaN()

// edge adds an edge with a weight.
func (b *builder) edge(u, v int32, weight float64) {
	b.Edges, b.Weights = append(b.Edges, [2]int32{u, v}), append(b.Weights, weight)
	if weight != 1 && !math.IsNaN(weight) {
		b.Dropped.Weights++
	}
}

// between adds an edge between nodes named as in the text.
func (b *builder) between(from, to string, weight float64) error {
	u, okU := b.at[from]
	v, okV := b.at[to]
	if !okU || !okV {
		if !okU {
			to = from
		}
		return fmt.Errorf("an edge has the end %q, which is no node", to)
	}
	b.edge(u, v, weight)
	return nil
}

// useLabels names the nodes by labels if every node has one and all differ. Otherwise the ids that edges use
// remain. It reports whether the labels are used.
func (b *builder) useLabels(labels []string) bool {
	seen := make(map[string]bool, len(labels))
	for _, label := range labels {
		if label == "" || seen[label] {
			return false
		}
		seen[label] = true
	}
	copy(b.Nodes, labels)
	return true
}
