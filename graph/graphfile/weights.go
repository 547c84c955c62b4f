package graphfile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/regular"
	"github.com/hearsay-dp/hearsay/internal/textfile"
)

// mostWeights is the largest number of nodes of a dense weight matrix.
const mostWeights = 4096

// formsHint names the formats of OpenWeights.
const formsHint = "give a square matrix: rows of a CSV, scipy.io.mmwrite(path, w), scipy.sparse.save_npz(path, w) or numpy.savez(path, w=w)"

// IsWeights reports whether weights is the path of a matrix. A word that is no rule and has no
// extension or folder counts as an unknown rule.
func IsWeights(weights string) bool {
	if graph.IsRule(weights) || strings.HasPrefix(weights, graph.Lazy) {
		return false
	}
	return filepath.Ext(weights) != "" || strings.ContainsRune(weights, '/') || strings.ContainsRune(weights, filepath.Separator)
}

// OpenTransition returns the transition of a rule on g, or reads a matrix from a path.
func OpenTransition(g *graph.Graph, weights string) (*graph.Transition, error) {
	if IsWeights(weights) {
		return OpenWeights(weights, g)
	}
	return graph.NewTransition(g, weights)
}

// OpenWeights reads the matrix at path as a transition on g: see ReadWeights. Messages name it by the
// last element of path.
func OpenWeights(path string, g *graph.Graph) (*graph.Transition, error) {
	name := filepath.Base(path)
	file, err := regular.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fmt.Sprintf("weights: there is no file %s", name), "give the path of a matrix, or a rule such as weights: hamilton")
	}
	if err != nil {
		return nil, fault.Wrap(err, "weights", "give the path of a readable matrix")
	}
	defer file.Close()
	text, err := uncompressed(file)
	if err != nil {
		return nil, fault.Wrap(err, "weights: "+name, "the file is damaged, cut short or too long; write it again")
	}
	return ReadWeights(text, name, g)
}

// ReadWeights reads a weight matrix on g. The formats are numbers row by row, with or without names
// of rows and columns; Matrix Market in coordinate or array form; and an npz of SciPy or NumPy. Names
// must be names of nodes. Without names row and column i belong to node i of g, in the order of its
// ids. graph.NewOwn lists the conditions on the matrix.
func ReadWeights(text []byte, name string, g *graph.Graph) (*graph.Transition, error) {
	var entries []graph.Entry
	var err error
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	switch start := bytes.ToLower(text[:min(len(text), 14)]); {
	case bytes.HasPrefix(text, []byte("PK\x03\x04")):
		entries, err = weightsOfArchive(text, g.Len())
	case textfile.Check(text, name) != nil:
		return nil, textfile.Check(text, name)
	case bytes.HasPrefix(start, []byte("%%matrixmarket")):
		entries, err = weightsOfMarket(text, g.Len())
	default:
		entries, err = weightsOfTable(text, g)
	}
	if err != nil {
		hint := fault.Hint(err)
		if hint == "" {
			hint = formsHint
		}
		return nil, fault.Wrap(err, "weights: "+name, hint)
	}
	return graph.NewOwn(g, name, entries)
}

// checkOrder refuses a matrix whose order is not n.
func checkOrder(rows, columns, n int) error {
	if rows == n && columns == n {
		return nil
	}
	return fault.New(fmt.Sprintf("the matrix has %d rows and %d columns, and the graph has %d nodes", rows, columns, n),
		fmt.Sprintf("give %d rows and %d columns, or the graph of the matrix", n, n))
}

// weightsOfTable reads lines of numbers.
func weightsOfTable(text []byte, g *graph.Graph) ([]graph.Entry, error) {
	lines := numberedLines(text)
	rows := ofIDs(lines)
	switch {
	case lines == nil || len(rows) > mostWeights+1:
		return nil, fmt.Errorf("there are more than %d lines; write a large matrix as Matrix Market or npz", mostWeights+1)
	case len(rows) == 0:
		return nil, fmt.Errorf("there is no number in it")
	}
	for _, l := range rows {
		if len(l.text) > 2*longestID+64*len(rows) {
			return nil, fmt.Errorf("line %d is too long for one of %d rows", l.number, len(rows))
		}
	}
	m := denseOf(rows)
	if m == nil {
		return nil, fmt.Errorf("its %d lines are no square matrix of numbers", len(rows))
	}
	n := len(m.values)
	if err := checkOrder(n, n, g.Len()); err != nil {
		return nil, err
	}
	at, err := nodesOf(m.names, g)
	if err != nil {
		return nil, err
	}
	return fullEntries(n, at, func(i, j int) float64 { return m.values[i][j] }), nil
}

// nodesOf returns the node of every row, by the names of rows or in order.
func nodesOf(names []string, g *graph.Graph) ([]int, error) {
	at, taken := make([]int, g.Len()), map[int]bool{}
	for i := range at {
		at[i] = i
		if names == nil {
			continue
		}
		u, found := g.Find(names[i])
		if !found || taken[u] {
			return nil, fault.New(fmt.Sprintf("row %d is called %q, which is no node of the graph %s, or there twice", i+1, names[i], g.Name()), "call each row and column by the id of its node, or leave names out")
		}
		at[i], taken[u] = u, true
	}
	return at, nil
}

// fullEntries returns the nonzero entries of a dense matrix.
func fullEntries(n int, at []int, value func(i, j int) float64) (entries []graph.Entry) {
	for i := range n {
		for j := range n {
			if x := value(i, j); x != 0 {
				entries = append(entries, graph.Entry{From: at[i], To: at[j], Value: x})
			}
		}
	}
	return entries
}
