package sweeps

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/regular"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/sweep"
)

// readResult reads result.json in a run's folder.
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

// printRows prints one column a run, because names are long and runs are few.
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

// A CompareQuestion holds the settings of `hearsay compare`.
type CompareQuestion struct {
	Out string
}

// Compare compares finished runs.
func (q *CompareQuestion) Compare(ask form.Asker, args []string) error {
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
	if q.Out != "" {
		if err := checkTable(q.Out); err != nil {
			return err
		}
		if err := writeTable(q.Out, "Runs side by side", fields, rows); err != nil {
			return err
		}
	}
	if ask.JSON {
		return ask.Value(sweep.WithNames(fields, rows))
	}
	return printRows(ask.Stdout, fields, rows)
}
