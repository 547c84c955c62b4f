package columnar

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/sweep"
)

// What is written is read again: columns in their order and with their types, missing values as missing.
func TestTablesAreReadAgain(t *testing.T) {
	fields := []sweep.Field{
		{Key: "privacy.sigma", Values: []string{"1", "2.5"}}, {Key: "graph", Values: []string{`"er:n=9,p=0.5"`, "ring:4"}},
		{Key: "trials", Values: []string{"3", "4"}}, {Key: "data.ranges.a,b \"c\" ü", Values: []string{"true", "false"}},
	}
	accuracy := 1.0 / 7
	r := &report.Result{}
	r.Final.TestAccuracy, r.Privacy.Mean = &accuracy, 1.0/3
	rows := []sweep.Row{
		sweep.NewRow(sweep.Cell{Values: []string{"1", `"er:n=9,p=0.5"`, "3", "true"}}, r),
		{Values: []string{"2.5", "ring:4", "4", "false"}, Error: "no", Hint: "yes"},
	}
	var text bytes.Buffer
	if err := Write(&text, sweep.Columns(fields, rows)); err != nil {
		t.Fatal(err)
	}
	got := read(t, text.Bytes())
	for i, want := range []string{"privacy.sigma DOUBLE: 1 2.5", "graph STRING: er:n=9,p=0.5 ring:4", "trials INT(64,true): 3 4",
		"data.ranges.a,b \"c\" ü BOOLEAN: true false", "score DOUBLE: 0.14285714285714285 <null>"} {
		if got[i] != want {
			t.Errorf("column %d: %q, want %q", i, got[i], want)
		}
	}
	for _, want := range []string{"trials_found INT(64,true): 0 <null>", "mean_loss DOUBLE: 0.3333333333333333 <null>", "error STRING: <null> no (yes)",
		"best BOOLEAN: false <null>"} {
		if !bytes.Contains([]byte(fmt.Sprint(got)), []byte(want)) {
			t.Errorf("no column %q in %q", want, got)
		}
	}
	if len(got) != len(sweep.Header(fields)) {
		t.Errorf("%d columns", len(got))
	}
}

// read is a line for each column of a file.
func read(t *testing.T, text []byte) []string {
	t.Helper()
	file, err := parquet.OpenFile(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, c := range file.Root().Columns() {
		lines = append(lines, fmt.Sprintf("%s %s:", c.Name(), c.Type()))
	}
	for _, g := range file.RowGroups() {
		rows := g.Rows()
		buffer := make([]parquet.Row, 8)
		for {
			n, err := rows.ReadRows(buffer)
			for _, row := range buffer[:n] {
				for k, v := range row {
					lines[k] += " " + v.String()
				}
			}
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		rows.Close()
	}
	return lines
}
