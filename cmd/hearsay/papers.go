package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/regular"
	"github.com/hearsay-dp/hearsay/papers"
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
	var quick bool
	cmd := &cobra.Command{
		Use:   "run ID",
		Short: "Run one figure or table and put the paper's numbers beside ours",
		Args:  argument("ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			study, err := papers.Find(args[0])
			if err != nil {
				return err
			}
			if quick {
				if study, err = study.Quick(); err != nil {
					return err
				}
			}
			return runStudy(cmd, study, data, out)
		},
	}
	cmd.Flags().StringVar(&data, "data", "data", "folder of the data sets, as hearsay data fetch fills it")
	cmd.Flags().BoolVar(&quick, "quick", false, "the same on little, in seconds, where there is such a version")
	cmd.Flags().StringVar(&out, "out", "", "folder for tables (CSV) and figures (SVG)")
	return cmd
}

func runStudy(cmd *cobra.Command, study papers.Study, data, out string) error {
	if err := checkStudyData(study, data); err != nil {
		return err
	}
	found, err := study.Findings(cmd.Context(), data, func(line string) { fmt.Fprintln(cmd.ErrOrStderr(), line) })
	if err != nil {
		return err
	}
	if out != "" {
		if err := writeStudy(study, found, out); err != nil {
			return err
		}
	}
	if err := printStudy(cmd, found); err != nil {
		return err
	}
	if failed := found.Failed(); len(failed) > 0 {
		return fault.New(fmt.Sprintf("%s does not show what the paper shows: %s", study.ID, strings.Join(failed, "; ")),
			"look at the tables; docs/PAPERS.md says what was measured before")
	}
	return nil
}

func checkStudyData(study papers.Study, data string) error {
	if study.Data == "" {
		return nil
	}
	if _, err := os.Stat(filepath.Join(data, filepath.FromSlash(study.Data))); errors.Is(err, os.ErrNotExist) {
		hint := "give the folder with --data, or fetch it: hearsay data fetch houses"
		if study.Data == "heart" {
			hint = "give the folder with --data, or fetch it: hearsay data fetch heart --dir " + filepath.Join(data, "heart")
		}
		if path.Dir(study.Data) == "facebook" {
			hint = "give the folder with --data; the file is one of SNAP's ego-Facebook edge lists"
		}
		return fault.New(fmt.Sprintf("%s needs %s below %s, and it is not there", study.ID, study.Data, data), hint)
	}
	return nil
}

// printStudy prints the runs alone where a study has nothing else.
func printStudy(cmd *cobra.Command, found *papers.Findings) error {
	switch {
	case !wantJSON(cmd):
		return found.WriteText(cmd.OutOrStdout())
	case len(found.Checks) == 0:
		return printJSON(cmd, found.Outcomes)
	}
	return printJSON(cmd, found)
}

// writeStudy writes tables and figures, each whole or not at all.
func writeStudy(study papers.Study, found *papers.Findings, out string) error {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return fault.Wrap(err, "cannot make the output folder", "choose a folder you may write to")
	}
	files := map[string]func(io.Writer) error{}
	for _, t := range found.Tables {
		files[t.Name+".csv"] = t.WriteCSV
	}
	for _, c := range found.Charts {
		files[c.Name+".svg"] = c.WriteSVG
	}
	if len(found.Outcomes) > 0 {
		files["figure.svg"] = func(w io.Writer) error { return study.WriteChart(w, found.Outcomes) }
	}
	for name, write := range files {
		if err := regular.Write(filepath.Join(out, name), 0o644, write); err != nil {
			return fault.Wrap(err, "cannot write "+name, "check the space left and the rights of "+out)
		}
	}
	return nil
}
