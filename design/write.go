package design

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/regular"
	"github.com/hearsay-dp/hearsay/internal/yamltext"
)

// WriteSpec writes the winner's spec at path, and beside it the file of its edges, where its kind reads a graph or real nodes run it.
func (d *Design) WriteSpec(path string) error {
	const hint = "choose a file in a folder that you may write to"
	v, c := d.venue, d.Plans[0].candidate
	doc := v.document(v.keys(c), v.privacyOf(c, c.accountant, c.sigma))
	s, err := v.spec(v.keys(c), v.privacyOf(c, c.accountant, c.sigma))
	if err != nil {
		return err
	}
	folder, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return err
	}
	moved := experiment.RelativeTo(s, folder)
	if data := doc["data"].(keysOf); moved.Data.Path != "" {
		data["path"] = moved.Data.Path
	}
	if file := experiment.OwnFile(moved); file != "" {
		doc["algorithm"].(keysOf)["secrets"] = file
	}
	if !s.Kind().Graphless || v.Federation != nil { // the file names the participants
		edges := edgesBeside(path)
		if err := regular.Write(edges, 0o644, func(w io.Writer) error { return graph.Write(w, v.graph) }); err != nil {
			return fault.Wrap(err, "cannot write "+edges, hint)
		}
		doc["graph"] = filepath.Base(edges)
		delete(doc, "nodes")
	}
	text, err := yamltext.Marshal(doc)
	if err != nil {
		return err
	}
	head := fmt.Sprintf("# Written by hearsay design: %s.\n", d.Plans[0].Called())
	if doc["graph"] == nil { // no file names the participants
		head += "# Its nodes, from 0: " + strings.Join(v.names(), ", ") + ".\n"
	}
	err = regular.Write(path, 0o644, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s%s", head, text)
		return err
	})
	if err != nil {
		return fault.Wrap(err, "cannot write the spec", hint)
	}
	return nil
}

// edgesBeside returns the path of the edges of the spec at path.
func edgesBeside(path string) string {
	return strings.TrimSuffix(path, filepath.Ext(path)) + ".edges.csv"
}

// Called returns a plan's family with its detail.
func (p *Plan) Called() string {
	if p.Detail == "" {
		return p.Family
	}
	return p.Family + ", " + p.Detail
}
