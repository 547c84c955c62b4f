package tables

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/regular"
)

// A groupFile is the file that was written for a group.
type groupFile struct {
	Group string `json:"group"`
	File  string `json:"file"`
	Rows  int    `json:"rows"`
}

// write writes one file for each group of a source, or for each part, into the folder q.Dir.
func (q *SplitQuestion) write(ask form.Asker, o dataset.Options) error {
	dir := q.Dir
	t, err := form.Within(ask.Context, func() (*dataset.Table, error) { return dataset.Load(o) })
	if err != nil {
		return err
	}
	if q.Parts != 0 || q.Rows != 0 {
		if q.Rows == 0 {
			q.Rows = t.Rows() / max(1, q.Parts)
		}
		if t, err = t.InParts(q.Parts, q.Rows, q.Seed); err != nil {
			return err
		}
	}
	if len(t.GroupNames) == 0 {
		return t.WriteGroup(nil, 0, nil)
	}
	for _, name := range t.GroupNames {
		if filepath.Base(name+".csv") != name+".csv" {
			return fault.New(fmt.Sprintf("group %q cannot be the name of a file", name), "write another value in that column, or deal rows by chance with --parts 3")
		}
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fault.Wrap(err, "cannot make the folder", "give one that can be written with --out")
	}
	var files []groupFile
	for g, name := range t.GroupNames {
		f := groupFile{Group: name, File: filepath.Join(dir, name+".csv")}
		for _, of := range t.Groups {
			if int(of) == g {
				f.Rows++
			}
		}
		if err := regular.Write(f.File, 0o666, func(w io.Writer) error { return t.WriteGroup(w, g, o.Categories) }); err != nil {
			return fault.Wrap(err, "cannot write "+f.File, "give a folder that can be written with --out")
		}
		files = append(files, f)
	}
	if ask.JSON {
		return ask.Value(files)
	}
	for _, f := range files {
		fmt.Fprintf(ask.Stdout, "%s: %d rows\n", f.File, f.Rows)
	}
	for _, note := range t.Notes {
		fmt.Fprintf(ask.Stdout, "note: %s\n", note)
	}
	return nil
}
