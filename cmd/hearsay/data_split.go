package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/regular"
)

func newDataSplit() *cobra.Command {
	var path, dir string
	cmd := &cobra.Command{
		Use:   "split SOURCE",
		Short: "Write the rows of each natural group as a CSV file, as participants bring them",
		Long: "Writes NAME.csv for every natural group of a source, such as the hospitals of heart: a header, the features, and\n" +
			"the label last. Without --path, heart is its synthetic stand-in.",
		Args: argument("source"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := dataset.Defaults(args[0])
			if err != nil {
				return err
			}
			if dataset.Synthetic(o.Source) {
				return fault.New(o.Source+" has no natural groups", "name a source that has, such as heart")
			}
			o.Path = path
			return splitData(cmd, o, dir)
		},
	}
	cmd.Flags().StringVar(&path, "path", "", "the file, or the folder with the files")
	cmd.Flags().StringVar(&dir, "out", ".", "folder to write to")
	return cmd
}

// A groupFile is what was written of a group.
type groupFile struct {
	Group string `json:"group"`
	File  string `json:"file"`
	Rows  int    `json:"rows"`
}

func splitData(cmd *cobra.Command, o dataset.Options, dir string) error {
	t, err := form.Within(cmd.Context(), func() (*dataset.Table, error) { return dataset.Load(o) })
	if err != nil {
		return err
	}
	if len(t.GroupNames) == 0 {
		return t.WriteGroup(nil, 0)
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
		if err := regular.Write(f.File, 0o666, func(w io.Writer) error { return t.WriteGroup(w, g) }); err != nil {
			return fault.Wrap(err, "cannot write "+f.File, "give a folder that can be written with --out")
		}
		files = append(files, f)
	}
	if wantJSON(cmd) {
		return printJSON(cmd, files)
	}
	for _, f := range files {
		fmt.Fprintf(cmd.OutOrStdout(), "%s: %d rows\n", f.File, f.Rows)
	}
	for _, note := range t.Notes {
		fmt.Fprintf(cmd.OutOrStdout(), "note: %s\n", note)
	}
	return nil
}
