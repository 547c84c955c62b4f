// Package graphfile reads graphs in the formats of other programs, and opens and saves files. The package
// graph is pure and does neither.
package graphfile

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/internal/regular"
)

// Open builds the graph of an expression such as "hypercube:11", or reads the file at that path (see
// Read). Text that starts with the name of a generator is an expression; "./ring" is a file.
func Open(exprOrPath string, seed uint64) (*graph.Graph, error) { return OpenAs(exprOrPath, seed, nil) }

// OpenAs is Open with a choice of direction. If directed is true the edges of a file are arrows; if false
// its arrows are edges both ways. If nil, the file decides. It is an error with a generator, which
// decides itself.
func OpenAs(exprOrPath string, seed uint64, directed *bool) (*graph.Graph, error) {
	if gen.IsExpression(exprOrPath) {
		if directed != nil {
			return nil, fault.New(fmt.Sprintf("directed: %t, but graph: %s is a generator, which says itself", *directed, exprOrPath), "leave directed out; ring:8,directed is a ring with arrows")
		}
		return gen.Parse(exprOrPath, seed)
	}
	file, err := regular.Open(exprOrPath)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New("there is no graph "+exprOrPath+": neither a file nor a generator",
			"give the path of a graph file, or a generator such as hypercube:11; hearsay graph --help lists all")
	}
	if err != nil {
		return nil, fault.Wrap(err, "cannot open the graph", "give the path of a readable graph file")
	}
	defer file.Close()
	return ReadAs(file, exprOrPath, directed)
}

// Save writes an edge list to path, compressed if path ends in .gz. The write is atomic: the file appears
// complete or not at all.
func Save(path string, g *graph.Graph) error {
	err := regular.Write(path, 0o644, func(w io.Writer) error { return write(w, g, strings.HasSuffix(path, ".gz")) })
	if err != nil {
		return fault.Wrap(err, "cannot write the graph to "+path, "check that the folder exists, is writable and has room")
	}
	return nil
}

func write(w io.Writer, g *graph.Graph, compress bool) error {
	if !compress {
		return graph.Write(w, g)
	}
	z, err := gzip.NewWriterLevel(w, gzip.BestSpeed) // millions of edges are written oftener than stored
	if err != nil {
		return err
	}
	return errors.Join(graph.Write(z, g), z.Close())
}
