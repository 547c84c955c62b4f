package figure

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/sweep"
)

// swept are rows over methods, epsilons, graphs and data, of which the scores of each are one number more than those before.
func swept(t *testing.T) ([]sweep.Field, []sweep.Row) {
	t.Helper()
	fields := []sweep.Field{
		{Key: "algorithm", Values: []string{"{kind: walk, steps: 3}", "{kind: gossip-gd, steps: 2}"}}, {Key: "privacy.calibrate", Values: []string{"{max: 4}", "{max: 1}"}},
		{Key: "graph", Values: []string{"ring:4", `"\\input{x} _%&$#^~{}<>|"`, "hypercube:2"}}, {Key: "data.rows", Values: []string{"10", "20"}},
	}
	cells, err := sweep.Grid(fields)
	if err != nil {
		t.Fatal(err)
	}
	var rows []sweep.Row
	for i, c := range cells {
		r := &report.Result{}
		accuracy := float64(i) / 100
		r.Final.TestAccuracy, r.Privacy.Accountant, r.Privacy.Status, r.Privacy.Metric, r.Privacy.Max = &accuracy, "path", report.Sound, "epsilon", 4
		if c.Values[1] == "{max: 1}" {
			r.Privacy.Max = 1
		}
		row := sweep.NewRow(c, r)
		row.Repeats, row.Varies = 3, "seeds"
		row.Spread.Score = sweep.Spread{Std: 0.01, Low: row.Score - 0.02, High: row.Score + 0.02}
		rows = append(rows, row)
	}
	rows[0] = sweep.Row{Cell: cells[0], Values: cells[0].Values, Error: "no"}
	return fields, rows
}

// The first key that varies besides the loss tells curves apart, the second columns, the third rows; each row is one point, by its loss.
func TestAFigureHasEveryRowOnce(t *testing.T) {
	fields, rows := swept(t)
	f, err := New(fields, rows)
	if err != nil || len(f.Panels) != 2 || len(f.Panels[0]) != 3 {
		t.Fatal(f, err)
	}
	var names, titles []string
	points := 0
	for _, line := range f.Panels {
		for _, p := range line {
			titles = append(titles, p.Title)
			for _, c := range p.Curves {
				names = append(names, c.Name)
				points += len(c.Points)
				if !slices.IsSortedFunc(c.Points, func(a, b Point) int { return compare(a.X, b.X) }) || c.Points[0].High-c.Points[0].Low < 0.03 {
					t.Errorf("%+v", c)
				}
			}
		}
	}
	if points != len(rows)-1 || !slices.Contains(names, "walk") || !slices.Contains(names, "gossip-gd") || titles[0] != "ring:4; rows 10" {
		t.Errorf("%d points, %q, %q", points, names, titles)
	}
	if want := "epsilon, worst pair"; f.X != want || f.Y != "test accuracy" || len(f.Notes) != 2 {
		t.Errorf("%q, %q, %q", f.X, f.Y, f.Notes)
	}
	four := append(slices.Clone(fields), sweep.Field{Key: "seed", Values: []string{"1", "2"}})
	if _, err := New(four, nil); err == nil {
		t.Error("four keys have a figure")
	}
}

// No curve joins losses of two kinds, and each says which it is of.
func TestACurveIsOfOneKind(t *testing.T) {
	fields, rows := swept(t)
	for i := range rows {
		rows[i].Covers = i%2 == 0
	}
	f, err := New(fields[:2], rows)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range f.Panels[0][0].Curves {
		if !strings.HasSuffix(c.Name, "; model covered") && !strings.HasSuffix(c.Name, "; model not covered") {
			t.Errorf("%q", c.Name)
		}
	}
	if len(f.Panels[0][0].Curves) != 4 || !strings.Contains(strings.Join(f.Notes, " "), "not to be compared") {
		t.Errorf("%d curves, %q", len(f.Panels[0][0].Curves), f.Notes)
	}
}

// Every format is written, the same bytes every time.
func TestFiguresAreWritten(t *testing.T) {
	fields, rows := swept(t)
	f, err := New(fields, rows)
	if err != nil {
		t.Fatal(err)
	}
	for path, begins := range map[string]string{"a.pdf": "%PDF-", "b.SVG": "<?xml", "c.pgf": "%% gonum", "d.csv": "panel,curve"} {
		var once, again bytes.Buffer
		if err := errors.Join(f.Write(&once, path), f.Write(&again, path)); err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(once.Bytes(), []byte(begins)) || !bytes.Equal(once.Bytes(), again.Bytes()) || bytes.Contains(once.Bytes(), []byte("Date (D:2")) {
			t.Errorf("%s: %.60q", path, once.String())
		}
		if strings.HasSuffix(path, "SVG") {
			in := xml.NewDecoder(&once)
			for err = nil; err == nil; _, err = in.Token() {
			}
			if err != io.EOF {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
	var points bytes.Buffer
	if err := f.Write(&points, "d.csv"); err != nil {
		t.Fatal(err)
	}
	if records, err := csv.NewReader(&points).ReadAll(); err != nil || len(records) != len(rows) {
		t.Errorf("%d records, %v", len(records), err)
	}
	if err := f.Write(io.Discard, "e.png"); err == nil {
		t.Error("a format that is not known is written")
	}
}

// Whatever stands in a spec, TeX prints it and does nothing that it says.
func TestTeXPrintsWhatIsWritten(t *testing.T) {
	fields, rows := swept(t)
	f, err := New(fields, rows)
	if err != nil {
		t.Fatal(err)
	}
	var table, drawn bytes.Buffer
	if err := errors.Join(WriteTable(&table, fields, rows), f.Write(&drawn, "c.pgf")); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"table": table.String(), "figure": drawn.String()} {
		if strings.Contains(text, `\input`) || strings.Contains(text, "\n%&") || !strings.Contains(text, `\textbackslash{}input\{x\} \_\%\&\$\#\textasciicircum{}\textasciitilde{}\{\}\textless{}\textgreater{}\textbar{}`) {
			t.Errorf("%s: %s", name, text)
		}
	}
	lines := regexp.MustCompile(`(?m)^.*\\\\$`).FindAllString(table.String(), -1)
	for _, line := range lines {
		if got := strings.Count(strings.ReplaceAll(line, `\&`, ""), "&"); got != len(fields)+1 {
			t.Errorf("%d columns: %s", got+1, line)
		}
	}
	if len(lines) != len(rows)+1 || !strings.Contains(table.String(), `$\pm$ 0.0200`) || !strings.Contains(table.String(), "-- & --") {
		t.Error(table.String())
	}
}

// A pivot has a column for each value of a key and a line for each combination of the others, with every score once.
func TestAPivotHasEveryScoreOnce(t *testing.T) {
	fields, rows := swept(t)
	for k, f := range fields {
		var table bytes.Buffer
		if err := Pivot(&table, fields, rows, f.Key); err != nil {
			t.Fatal(err)
		}
		lines := regexp.MustCompile(`(?m)^.*\\\\$`).FindAllString(table.String(), -1)
		if want := len(rows)/len(f.Values) + 2; len(lines) != want {
			t.Errorf("%s: %d lines, want %d", f.Key, len(lines), want)
		}
		for _, line := range lines[1:] {
			if got := strings.Count(strings.ReplaceAll(line, `\&`, ""), "&") + 1; got != len(fields)-1+len(f.Values) {
				t.Errorf("%s: %d columns: %s", f.Key, got, line)
			}
		}
		for i, r := range rows[1:] {
			if n := strings.Count(table.String(), score(r)); n != 1 {
				t.Errorf("%s: the score of row %d stands there %d times", f.Key, i+1, n)
			}
		}
		if !strings.Contains(table.String(), "-- ") || strings.Contains(table.String(), `\input`) || !strings.Contains(table.String(), "by "+TeX(f.Key)) {
			t.Errorf("%d: %s", k, table.String())
		}
	}
	if err := Pivot(io.Discard, fields, rows, "graphs"); err == nil || !strings.Contains(err.Error(), "no key of --vary") {
		t.Error(err)
	}
}

// A curve that the first panel lacks is in the key, with the colour that it has where it is drawn, and no name is wider than its column.
func TestKeyHasTheCurvesOfAllPanels(t *testing.T) {
	at := []Point{{X: 1, Y: 0.5, Low: 0.5, High: 0.5, Repeats: 1}}
	f := &Figure{X: "x", Y: "y", Panels: [][]Panel{{{Curves: []Curve{{"walk", at}, {"central", at}}}, {Curves: []Curve{{"walk", at}, {"gossip; towards everybody together", at}, {"central", at}}}}}}
	k := f.key(plain)
	if want := []string{"walk", "central", "gossip; towards everybody together"}; !slices.Equal(k.curves, want) {
		t.Fatalf("the key has %q", k.curves)
	}
	cell, _ := k.cell()
	for _, name := range k.names {
		if width := k.style.Width(name); width+thumbnail+gap > cell {
			t.Errorf("%q is %v wide, in a column of %v", name, width, cell)
		}
	}
	if columns, rows := k.columns(2.5 * cell); columns != 2 || rows != 2 {
		t.Errorf("%d columns of %d rows", columns, rows)
	}
	var svg bytes.Buffer
	if err := f.Write(&svg, "figure.svg"); err != nil {
		t.Fatal(err)
	}
	if count := strings.Count(svg.String(), "gossip; towards everybody together"); count != 1 {
		t.Errorf("the name stands there %d times", count)
	}
}

// A panel of which all cells failed is drawn empty, beside the others, on their axis.
func TestAPanelWithoutPointsIsDrawn(t *testing.T) {
	fields, rows := swept(t)
	for i, r := range rows {
		if r.Values[2] == "ring:4" {
			rows[i] = sweep.Row{Cell: r.Cell, Values: r.Values, Error: "no"}
		} else if r.Values[1] == "{max: 4}" {
			rows[i].Max = 40 // so that the axis is logarithmic
		}
	}
	f, err := New(fields, rows)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"f.pdf", "f.svg"} {
		if err := f.Write(new(bytes.Buffer), file); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}
