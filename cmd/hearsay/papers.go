package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"hearsay/internal/fault"
	"hearsay/papers"
)

func newPapersCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "papers",
		Short: "Reproduce figures and tables of the papers",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newPapersList(), newPapersRun())
	return cmd
}

func newPapersList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List what can be reproduced",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			type entry struct{ ID, Title, Source, Data string }
			var list []entry
			t := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			for _, s := range papers.All() {
				list = append(list, entry{s.ID, s.Title, s.Source, s.Data})
				fmt.Fprintf(t, "%s\t%s\t(%s)\n", s.ID, s.Title, s.Source)
			}
			if wantJSON(cmd) {
				return printJSON(cmd, list)
			}
			return t.Flush()
		},
	}
}

func newPapersRun() *cobra.Command {
	var data, out string
	cmd := &cobra.Command{
		Use:   "run ID",
		Short: "Run one figure or table and put the paper's numbers beside ours",
		Args:  argument("ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			study, err := papers.Find(args[0])
			if err != nil {
				return err
			}
			return runStudy(cmd, study, data, out)
		},
	}
	cmd.Flags().StringVar(&data, "data", "data", "folder of the data sets, as hearsay data fetch fills it")
	cmd.Flags().StringVar(&out, "out", "", "folder for table.csv and figure.svg")
	return cmd
}

func runStudy(cmd *cobra.Command, study papers.Study, data, out string) error {
	if _, err := os.Stat(filepath.Join(data, filepath.FromSlash(study.Data))); errors.Is(err, os.ErrNotExist) {
		return fault.New(fmt.Sprintf("%s needs %s below %s, and it is not there", study.ID, study.Data, data),
			"give the folder with --data, or fetch it: hearsay data fetch houses")
	}
	outcomes, err := study.Run(cmd.Context(), data, func(o papers.Outcome) {
		mean, std := o.Accuracy()
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: accuracy %.3f +- %.3f at sigma %.4g\n", o.Variant.Name, mean, std, o.Result.Privacy.Sigma)
	})
	if err != nil {
		return err
	}
	if out != "" {
		if err := writeStudy(study, outcomes, out); err != nil {
			return err
		}
	}
	if wantJSON(cmd) {
		return printJSON(cmd, outcomes)
	}
	return papers.WriteTable(cmd.OutOrStdout(), outcomes)
}

// writeStudy writes the table and the figure, each whole or not at all.
func writeStudy(study papers.Study, outcomes []papers.Outcome, out string) error {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return fault.Wrap(err, "cannot make the output folder", "choose a folder you may write to")
	}
	for name, write := range map[string]func(io.Writer) error{
		"table.csv":  func(w io.Writer) error { return papers.WriteTable(w, outcomes) },
		"figure.svg": func(w io.Writer) error { return study.WriteChart(w, outcomes) },
	} {
		if err := writeWhole(filepath.Join(out, name), write); err != nil {
			return fault.Wrap(err, "cannot write "+name, "check the space left and the rights of "+out)
		}
	}
	return nil
}

// writeWhole writes a file through a temporary one beside it.
func writeWhole(path string, write func(io.Writer) error) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), ".partial-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	if err = errors.Join(write(file), file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}
