package graphfile

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// readMatrixMarket reads a square sparse matrix as a graph. A nonzero entry (i,
// j) is an edge from i to j. Nodes are named 1 to n, as in the file. A
// symmetric matrix is an undirected graph, and so is a general one with every
// entry on both sides. Any other matrix is a directed graph.
func readMatrixMarket(text []byte, name string, _ bool) (*graph.Graph, error) {
	lines := numberedLines(text)
	if lines == nil {
		return nil, tooMany(name)
	}
	field, symmetric, err := matrixHeader(lines[0].text)
	if err != nil {
		return nil, fault.Wrap(err, name+" line 1", "give a matrix in coordinate form: scipy.io.mmwrite(path, scipy.sparse.coo_matrix(a))")
	}
	rest := lines[1:]
	for len(rest) > 0 && (len(rest[0].text) == 0 || rest[0].text[0] == '%') {
		rest = rest[1:]
	}
	b := newBuilder(name)
	if err := b.matrix(rest, field, symmetric); err != nil {
		return nil, fault.Wrap(err, name, "the file is cut short or no square matrix; write it again")
	}
	if !symmetric {
		b.Directed = !bothWays(b.Edges)
	}
	if !b.Directed && !symmetric {
		b.once()
	}
	return b.Graph()
}

// matrixHeader reads "%%MatrixMarket matrix coordinate real general".
func matrixHeader(line []byte) (field string, symmetric bool, err error) {
	words := strings.Fields(strings.ToLower(string(line)))
	if len(words) != 5 || words[1] != "matrix" {
		return "", false, fmt.Errorf("%q is not a header of five words", line)
	}
	switch {
	case words[2] != "coordinate":
		return "", false, fmt.Errorf("the matrix is in %s form", words[2])
	case words[3] != "pattern" && words[3] != "real" && words[3] != "integer":
		return "", false, fmt.Errorf("its entries are %s", words[3])
	case words[4] != "symmetric" && words[4] != "general":
		return "", false, fmt.Errorf("the matrix is %s", words[4])
	}
	return words[3], words[4] == "symmetric", nil
}

// matrix reads the line of sizes and the entries.
func (b *builder) matrix(lines []line, field string, symmetric bool) error {
	if len(lines) == 0 {
		return fmt.Errorf("there is no line of sizes")
	}
	size, ok := integers(lines[0].text, 3)
	if !ok || size[0] < 1 || size[0] > mostNodes || size[2] < 0 {
		return fmt.Errorf("line %d: %q are no numbers of rows, columns and entries", lines[0].number, clip(lines[0].text))
	}
	n, entries := size[0], size[2]
	if n != size[1] {
		return fmt.Errorf("line %d: %d rows and %d columns are no square matrix", lines[0].number, n, size[1])
	}
	if err := b.numbered(n, len(lines)); err != nil {
		return fmt.Errorf("line %d: %w", lines[0].number, err)
	}
	for _, l := range lines[1:] {
		if len(l.text) == 0 {
			continue
		}
		i, j, value, err := entry(l.text, field)
		if err != nil {
			return fmt.Errorf("line %d: %w", l.number, err)
		}
		if i < 1 || j < 1 || i > n || j > n {
			return fmt.Errorf("line %d: entry (%d, %d) of a matrix of %d rows", l.number, i, j, n)
		}
		if entries--; value == 0 {
			b.Dropped.Zeros++
			continue
		}
		b.edge(int32(i-1), int32(j-1), value)
	}
	if entries != 0 {
		return fmt.Errorf("line %d promises %d entries, and %d follow", lines[0].number, size[2], size[2]-entries)
	}
	return nil
}

// entry reads "row column" and, unless field is pattern, a value.
func entry(text []byte, field string) (i, j int, value float64, err error) {
	words := bytes.Fields(text)
	want := 3
	if field == "pattern" {
		want = 2
	}
	if len(words) != want {
		return 0, 0, 0, fmt.Errorf("%q has %d fields, not %d", clip(text), len(words), want)
	}
	i, errI := strconv.Atoi(string(words[0]))
	j, errJ := strconv.Atoi(string(words[1]))
	value = noWeight
	if want == 3 {
		value, err = strconv.ParseFloat(string(words[2]), 64)
	}
	if errI != nil || errJ != nil || err != nil || want == 3 && math.IsNaN(value) {
		return 0, 0, 0, fmt.Errorf("%q is no entry", clip(text))
	}
	return i, j, value, nil
}

// bothWays reports whether every edge occurs in both directions.
func bothWays(edges [][2]int32) bool {
	has := make(map[[2]int32]bool, len(edges))
	for _, e := range edges {
		has[e] = true
	}
	for _, e := range edges {
		if !has[[2]int32{e[1], e[0]}] {
			return false
		}
	}
	return true
}

// once keeps one of the two directions of every edge that occurs in both.
func (b *builder) once() {
	back := make(map[[2]int32]float64, len(b.Edges))
	for k, e := range b.Edges {
		back[[2]int32{e[1], e[0]}] = b.Weights[k]
	}
	kept := 0
	for k, e := range b.Edges {
		if e[0] > e[1] {
			continue
		}
		w := b.Weights[k]
		if other := back[e]; other != w && !(math.IsNaN(other) && math.IsNaN(w)) {
			b.Twice = &[2]int32{e[0], e[1]}
		}
		b.Edges[kept], b.Weights[kept] = e, w
		kept++
	}
	b.Edges, b.Weights = b.Edges[:kept], b.Weights[:kept]
	b.Dropped.Weights = min(b.Dropped.Weights, kept)
}
