package tables

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/dataset/fetch"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/terminal"
)

// ColumnLists parses flags COLUMN=VALUE,VALUE,...
func ColumnLists(flags []string) (map[string][]string, error) {
	values, err := ColumnValues(flags)
	if values == nil || err != nil {
		return nil, err
	}
	lists := make(map[string][]string, len(values))
	for column, value := range values {
		lists[column] = strings.Split(value, ",")
	}
	return lists, nil
}

// ColumnValues parses flags COLUMN=VALUE. It returns an error if a column has two.
func ColumnValues(flags []string) (map[string]string, error) {
	var values map[string]string
	for _, flag := range flags {
		column, value, ok := strings.Cut(flag, "=")
		if _, again := values[column]; !ok || again {
			return nil, fault.New(fmt.Sprintf("%q does not give one more column a value", flag), "write COLUMN=VALUE, once for each column")
		}
		if values == nil {
			values = map[string]string{}
		}
		values[column] = value
	}
	return values, nil
}

// InfoOptions returns the options of a source, given by its name or as a file. A file is read as CSV if
// its name ends in .csv, .tsv or .tab, before .gz, or if columns is true, and else as LIBSVM.
func InfoOptions(source, path string, columns bool) (dataset.Options, error) {
	if _, err := os.Stat(source); err == nil && path == "" && filepath.Ext(source) != "" {
		path, source = source, "libsvm"
		switch strings.ToLower(filepath.Ext(strings.TrimSuffix(path, ".gz"))) {
		case ".csv", ".tsv", ".tab":
			columns = true
		}
		if columns {
			source = "csv"
		}
	}
	o, err := dataset.Defaults(source)
	if err != nil {
		return o, err
	}
	if o.Path = path; path == "" && !dataset.Synthetic(source) && source != "csv" && source != "libsvm" {
		o.Path = filepath.Join("data", source)
	}
	return o, nil
}

// Override replaces a default by a flag that was given.
func Override(value *string, flag string) {
	if flag != "" {
		*value = flag
	}
}

// Describe prints a summary of a table. It returns an error for generated data, which have no file.
func Describe(ask form.Asker, o dataset.Options) error {
	if dataset.Synthetic(o.Source) {
		return fault.New(o.Source+" is generated: there is no file to look at",
			"hearsay run writes what it drew; its shape is set by nodes, rows and features in the spec")
	}
	t, err := form.Within(ask.Context, func() (*dataset.Table, error) { return dataset.Load(o) })
	if err != nil {
		return err
	}
	s := dataset.Describe(t)
	if ask.JSON {
		return ask.Value(s)
	}
	return printSummary(ask.Stdout, s)
}

// printSummary writes a summary for people.
func printSummary(w io.Writer, s dataset.Summary) error {
	out := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintf(out, "source\t%s (%s of %s)\n", s.Source, s.Task, s.Target)
	fmt.Fprintf(out, "rows\t%d%s\n", s.Rows, rowsAside(s))
	fmt.Fprintf(out, "features\t%d\n", len(s.Features))
	for _, f := range s.Files {
		fmt.Fprintf(out, "file\t%s, %d bytes, %s\n", f.Path, f.Bytes, checksumWords(f))
	}
	for _, c := range s.Classes {
		fmt.Fprintf(out, "label %s\t%s: %d rows (%.1f%%)\n", labelText(c.Label, len(s.Classes)), c.Meaning, c.Rows,
			100*float64(c.Rows)/float64(s.Rows))
	}
	for _, g := range s.Groups {
		fmt.Fprintf(out, "%s\t%s: %d rows, by label %v\n", s.Group, g.Name, g.Rows, g.Classes)
	}
	for _, m := range s.Missing {
		fmt.Fprintf(out, "missing\t%s: %d rows\n", m.Column, m.Rows)
	}
	for _, note := range s.Notes {
		fmt.Fprintf(out, "note\t%s\n", note)
	}
	fmt.Fprintln(out)
	if err := out.Flush(); err != nil {
		return err
	}
	return printRanges(w, s)
}

// printRanges writes the range of every column, or of the first few of many.
func printRanges(w io.Writer, s dataset.Summary) error {
	const most = 30
	out := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(out, "column\tlowest\tmean\thighest")
	ranges := s.Features[:min(most, len(s.Features))]
	if s.Classes == nil {
		ranges = append([]dataset.FeatureRange{s.Label}, ranges...)
	}
	for _, f := range ranges {
		fmt.Fprintf(out, "%s\t%.6g\t%.6g\t%.6g\n", f.Name, f.Min, f.Mean, f.Max)
	}
	if more := len(s.Features) - most; more > 0 {
		fmt.Fprintf(out, "and %d more (all with --json)\n", more)
	}
	return out.Flush()
}

// labelText writes a label, with its sign if there are two classes.
func labelText(label float64, classes int) string {
	if classes == 2 {
		return fmt.Sprintf("%+g", label)
	}
	return fmt.Sprintf("%g", label)
}

// rowsAside writes the number of rows in the source's own test part, and of rows left out for a missing value.
func rowsAside(s dataset.Summary) string {
	aside := ""
	if s.OwnTest > 0 {
		aside += fmt.Sprintf(", the last %d of them the source's own test part", s.OwnTest)
	}
	if s.Dropped > 0 {
		aside += fmt.Sprintf(", %d more left out for a missing value", s.Dropped)
	}
	return aside
}

// checksumWords writes whether a file's checksum matches the published one, or else the checksum.
func checksumWords(f dataset.FileState) string {
	switch f.State {
	case dataset.Matches:
		return "checksum is that of the published file"
	case dataset.Differs:
		return "CHECKSUM DIFFERS from the published file: sha256 " + f.SHA256
	}
	return "sha256 " + f.SHA256
}

// Fetchable returns the names of the data sets that data fetch can download.
func Fetchable() []string {
	var names []string
	for _, set := range dataset.Catalogue() {
		names = append(names, set.Name)
	}
	return names
}

// FetchSet downloads a data set from url into dir, and prints its files.
func FetchSet(ask form.Asker, set dataset.KnownSet, dir, url string) error {
	fetcher := fetch.New()
	live := terminal.NewLiveLine(ask.Stderr)
	fetcher.Progress = live.Bytes
	paths, err := fetcher.Set(ask.Context, set, dir, url)
	live.Wipe()
	if err != nil {
		return err
	}
	if ask.JSON {
		return ask.Value(struct {
			Name  string   `json:"name"`
			Files []string `json:"files"`
		}{set.Name, paths})
	}
	for _, path := range paths {
		fmt.Fprintf(ask.Stdout, "%s  checksum right\n", path)
	}
	fmt.Fprintf(ask.Stdout, "%s\n", set.About)
	return nil
}
