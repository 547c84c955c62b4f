package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/regular"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/sweep"
)

func newCompareCommand() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "compare DIR DIR...",
		Short: "Put finished runs side by side: what differs in their specs, their scores and losses",
		Long: "Compare reads result.json of folders that hearsay run wrote and shows what their specs differ in,\n" +
			"what each came to, and which no other beats. With --out it writes the table and a page.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return errors.New("hearsay compare takes two folders or more")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			var results []*report.Result
			for _, dir := range args {
				r, err := readResult(dir)
				if err != nil {
					return err
				}
				results = append(results, r)
			}
			fields, rows, err := sweep.Compare(args, results)
			if err != nil {
				return err
			}
			if out != "" {
				if err := checkTable(out); err != nil {
					return err
				}
				if err := writeTable(out, "Runs side by side", fields, rows); err != nil {
					return err
				}
			}
			if wantJSON(cmd) {
				return printJSON(cmd, sweep.WithNames(fields, rows))
			}
			return printRows(cmd.OutOrStdout(), fields, rows)
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "folder for the table and the page")
	return cmd
}

// readResult is result.json of a run's folder.
func readResult(dir string) (*report.Result, error) {
	text, err := regular.Read(filepath.Join(dir, "result.json"), regular.MostFile)
	if err != nil {
		return nil, fault.New(fmt.Sprintf("%s has no result.json", dir), "give a folder that hearsay run SPEC --out wrote")
	}
	r := &report.Result{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fault.Wrap(err, filepath.Join(dir, "result.json")+" cannot be read", "run the spec again")
	}
	return r, nil
}

// printRows has a run a column: names are long, and runs are few.
func printRows(w io.Writer, fields []sweep.Field, rows []sweep.Row) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	records := make([][]string, len(rows))
	for i, r := range rows {
		records[i] = r.Record()
	}
	for k, name := range sweep.Header(fields) {
		if !slices.ContainsFunc(records, func(r []string) bool { return r[k] != "" }) {
			continue
		}
		fmt.Fprint(t, name)
		for _, r := range records {
			fmt.Fprintf(t, "\t%s", r[k])
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}
