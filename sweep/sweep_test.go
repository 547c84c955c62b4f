package sweep

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/hearsay-dp/hearsay/internal/draws"
	"github.com/hearsay-dp/hearsay/report"
)

func TestFieldsAreReadAsWritten(t *testing.T) {
	for text, want := range map[string]string{
		`graph=[hypercube:6, "er:n=64,p=0.1"]`:                  `hypercube:6|"er:n=64,p=0.1"`,
		`privacy.calibrate=[{mean: 0.5}, {max: 1.0e-6}]`:        `{mean: 0.5}|{max: 1.0e-6}`,
		`privacy.sigma={from: 1, to: 16, count: 5, scale: log}`: `1|2|4|8|16`,
		`algorithm.steps={from: 100, to: 300, count: 3}`:        `100|200|300`,
		`seed=7`: `7`,
		`graph=[ring:9, er:n=64,p=0.2,connected, net.txt]`:    `ring:9|er:n=64,p=0.2,connected|net.txt`,
		`graph=er:n=64,p=0.2`:                                 `er:n=64,p=0.2`,
		`graph=net.txt,ring:60`:                               `net.txt|ring:60`,
		`graph=[ring:4,complete:4,a,b]`:                       `ring:4|complete:4,a,b`,
		`graph=["ring:4",a]`:                                  `"ring:4"|a`,
		`privacy.sigma=1,2.5,4`:                               `1|2.5|4`,
		`algorithm.kind=walk, local`:                          `walk|local`,
		`algorithm.step_size=[{power: 0.75, base: 0.1}, 0.2]`: `{power: 0.75, base: 0.1}|0.2`,
		`privacy.sigma={from: 0.1, to: 0.3, count: 2}`:        `0.1|0.3`,
		"privacy.sigma=[\n  1,\n  2]":                         `1|2`,
	} {
		f, err := ReadField(text)
		if err != nil || strings.Join(f.Values, "|") != want {
			t.Errorf("%s: %q, %v", text, f.Values, err)
		}
	}
	for _, text := range []string{"", "graph", "=[1]", "a=[]", "a={from: 1}", "a={from: 1, to: 2, count: 1}", "a={from: 0, to: 2, count: 3, scale: log}",
		"a={from: 1, to: 2, count: 3, by: 1}", "a={from: 1, to: .inf, count: 3}", "a={from: 1, to: 2, count: 100000}", "a=[1", "a="} {
		if f, err := ReadField(text); err == nil {
			t.Errorf("%q is read as %q", text, f.Values)
		}
	}
}

func FuzzReadField(f *testing.F) {
	f.Add("a=[1, 2]")
	f.Add("a={from: 1, to: 2, count: 3}")
	f.Fuzz(func(t *testing.T, text string) {
		field, err := ReadField(text)
		if err == nil && (field.Key == "" || len(field.Values) == 0 || len(field.Values) > mostValues) {
			t.Errorf("%q is read as %q", text, field)
		}
	})
}

// A grid has every combination once.
func TestAGridHasEveryCombinationOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var fields []Field
		want := 1
		for _, key := range []string{"a", "b", "c"}[:rapid.IntRange(0, 3).Draw(t, "fields")] {
			values := []string{"1", "2", "3", "4"}[:rapid.IntRange(1, 4).Draw(t, "values")]
			fields = append(fields, Field{key, values})
			want *= len(values)
		}
		cells, err := Grid(fields)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for i, c := range cells {
			if c.Number != i {
				t.Fatalf("cell %d is numbered %d", i, c.Number)
			}
			seen[c.Name(fields)] = true
		}
		if len(cells) != want || len(seen) != want {
			t.Fatalf("%d cells, %d names, want %d", len(cells), len(seen), want)
		}
	})
	if _, err := Grid([]Field{{"a", []string{"1"}}, {"a", []string{"2"}}}); err == nil {
		t.Error("one key twice")
	}
	many := make([]string, 2000)
	if _, err := Grid([]Field{{"a", many}, {"b", many}}); err == nil {
		t.Error("four million cells")
	}
}

// Ends of a range are what was asked for, to the last digit, and numbers in between stay apart.
func TestARangeKeepsItsEnds(t *testing.T) {
	for text, want := range map[string]string{
		"seed={from: 1000001, to: 1000005, count: 3}":       "1000001 1000003 1000005",
		"x={from: 0.123456789, to: 0.123456791, count: 3}":  "0.123456789 0.12345679 0.123456791",
		"x={from: 0.1, to: 0.5, count: 5}":                  "0.1 0.2 0.3 0.4 0.5",
		"x={from: 1, to: 16, count: 5, scale: log}":         "1 2 4 8 16",
		"x={from: 1e-300, to: 1e300, count: 3, scale: log}": "1e-300 1 1e+300",
		"x={from: -1e308, to: 1e308, count: 3}":             "-1e+308 0 1e+308",
		"x={from: 4, to: 1, count: 3}":                      "4 2.5 1",
		"x=[3, 1, 3, 1.0]":                                  "3 1 1.0",
		"x={from: 2, to: 2, count: 4}":                      "2",
		"x={from: 1, to: 10, count: 3, scale: log}":         "1 3.16228 10",
		"x={from: 20000000000, to: 20000000001, count: 3}":  "20000000000 20000000000.5 20000000001",
		"x={from: 123456.789, to: 223456.789, count: 2}":    "123456.789 223456.789",
	} {
		f, err := ReadField(text)
		if got := strings.Join(f.Values, " "); err != nil || got != want {
			t.Errorf("%s is %s (%v), want %s", text, got, err, want)
		}
	}
}

// aSweep is one whose results tell the number of the cell by their mean loss.
func aSweep(folder string, run func(settings []string) (*report.Result, error)) Sweep {
	return Sweep{
		Fields: []Field{{"x", []string{"1", "2", "3"}}, {"y", []string{"4", "5"}}}, Folder: folder, Workers: 2,
		Key: func(settings []string) string { return "key" + strings.Join(settings, " ") },
		Run: func(_ context.Context, settings []string) (*report.Result, error) { return run(settings) },
	}
}

func scored(accuracy, mean float64) *report.Result {
	r := &report.Result{Trials: report.List[report.Trial]{{}}}
	r.Final.TestAccuracy, r.Trials[0].Final.TestAccuracy = &accuracy, &accuracy
	r.Privacy.Accountant, r.Privacy.Status, r.Privacy.Mean = "path", report.Sound, report.Number(mean)
	return r
}

// A sweep that is stopped goes on with what is not kept, and gives the rows of one that ran
// through; what failed is run again.
func TestAStoppedSweepGoesOn(t *testing.T) {
	folder := t.TempDir()
	var ran atomic.Int32
	ctx, stop := context.WithCancel(t.Context())
	result := func(settings []string) (*report.Result, error) {
		return scored(0.5, float64(len(strings.Join(settings, "")))), nil
	}
	first := aSweep(folder, func(settings []string) (*report.Result, error) {
		if ran.Add(1) == 4 {
			stop()
		}
		return result(settings)
	})
	if _, err := first.Rows(ctx, func(Row, bool) {}); !errors.Is(err, context.Canceled) {
		t.Fatalf("a sweep that was stopped: %v", err)
	}
	var again, fresh int
	ran.Store(0)
	failing := aSweep(folder, func(settings []string) (*report.Result, error) {
		if ran.Add(1); settings[0] == "x=3" && settings[1] == "y=5" {
			return nil, errors.New("no")
		}
		return result(settings)
	})
	rows, err := failing.Rows(t.Context(), func(_ Row, kept bool) {
		if fresh++; kept {
			again, fresh = again+1, fresh-1
		}
	})
	if err != nil || len(rows) != 6 || again == 0 || again+fresh != 6 || int(ran.Load()) != fresh {
		t.Fatalf("%d rows, %d kept, %d run: %v", len(rows), again, ran.Load(), err)
	}
	last := aSweep(folder, result)
	ran.Store(0)
	if rows, err = last.Rows(t.Context(), func(Row, bool) {}); err != nil {
		t.Fatal(err)
	}
	whole, err := aSweep("", result).Rows(t.Context(), func(Row, bool) {})
	if err != nil {
		t.Fatal(err)
	}
	var a, b bytes.Buffer
	if err := errors.Join(WriteCSV(&a, last.Fields, rows), WriteCSV(&b, last.Fields, whole)); err != nil || a.String() != b.String() {
		t.Errorf("another table: %v\n%s\n%s", err, a.String(), b.String())
	}
	other := aSweep(folder, result)
	other.Key = func(settings []string) string { return "another" + strings.Join(settings, " ") }
	_, err = other.Rows(t.Context(), func(_ Row, kept bool) {
		if kept {
			t.Error("a cell of another program counts")
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The frontier is what no row beats; rows of another metric, unit or status are not compared.
func TestFrontier(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := make([]Row, rapid.IntRange(1, 8).Draw(t, "rows"))
		for i := range rows {
			rows[i] = NewRow(Cell{Number: i}, scored(float64(rapid.IntRange(0, 3).Draw(t, "score")), float64(rapid.IntRange(0, 3).Draw(t, "loss"))))
			if rapid.IntRange(0, 5).Draw(t, "failed") == 0 {
				rows[i] = Row{Error: "no"}
			}
		}
		Frontier(rows, LossAxis(nil))
		for _, r := range rows {
			beaten := false
			for _, o := range rows {
				beaten = beaten || o.Error == "" && o.Score >= r.Score && o.Mean <= r.Mean && (o.Score > r.Score || o.Mean < r.Mean)
			}
			if want := r.Error == "" && !beaten; r.Best != want {
				t.Fatalf("%+v", rows)
			}
		}
	})
	a, b := NewRow(Cell{}, scored(0.9, 1)), NewRow(Cell{}, scored(0.8, 2))
	if b.Unit = "record"; a.beats(b, LossAxis(nil)) {
		t.Error("a participant's loss is held against a record's")
	}
}

// The line of a value goes through rows of that value that get better as they lose more, however many other fields vary.
func TestLinesOfAValueRise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := make([]Row, rapid.IntRange(1, 12).Draw(t, "rows"))
		for i := range rows {
			rows[i] = NewRow(Cell{Number: i}, scored(float64(rapid.IntRange(0, 9).Draw(t, "score")), float64(rapid.IntRange(0, 5).Draw(t, "loss"))))
			rows[i].Values = []string{rapid.SampledFrom([]string{"a", "b"}).Draw(t, "value"), strconv.Itoa(i)}
		}
		Frontier(rows, LossAxis(nil))
		marked := slices.Clone(rows)
		for _, value := range []string{"a", "b"} {
			own := of(0, value, rows, LossAxis(nil))
			if slices.ContainsFunc(own, func(r Row) bool { return r.Values[0] != value }) {
				t.Fatalf("rows of %s: %+v", value, own)
			}
			line, _, _ := LossAxis(nil).points(own, func(r Row) bool { return r.Best })
			for i := 1; i < len(line); i++ {
				if line[i].Y < line[i-1].Y {
					t.Fatalf("the line of %s falls: %v", value, line)
				}
			}
		}
		for i := range rows {
			if rows[i].Best != marked[i].Best {
				t.Fatal("lines of values moved the frontier of all")
			}
		}
	})
}

// Rows have a column under every name, and the page shows what was typed as text.
func TestTableAndPage(t *testing.T) {
	s := aSweep("", func(settings []string) (*report.Result, error) {
		if settings[0] == "x=2" {
			return nil, errors.New("<no>")
		}
		return scored(0.5, 1), nil
	})
	rows, err := s.Rows(t.Context(), func(Row, bool) {})
	if err != nil {
		t.Fatal(err)
	}
	var table, page, text bytes.Buffer
	if err := errors.Join(WriteCSV(&table, s.Fields, rows), WritePage(&page, "<name>", s.Fields, rows), WriteText(&text, s.Fields, rows)); err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(&table).ReadAll() // refuses rows of another length
	if err != nil || len(records) != 7 {
		t.Errorf("%d records, %v", len(records), err)
	}
	for _, want := range []string{"&lt;name&gt;", "&lt;no&gt;", "<svg", "2 of which failed"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if !strings.Contains(text.String(), "accuracy 0.5: x=1 y=4") {
		t.Error(text.String())
	}
}

// cellsOf runs the cell whose last setting is the i-th of some values.
func cellsOf(result func(i int) *report.Result, values []string) func(context.Context, []string) (*report.Result, error) {
	return func(_ context.Context, settings []string) (*report.Result, error) {
		_, value, _ := strings.Cut(settings[len(settings)-1], "=")
		return result(slices.Index(values, value)), nil
	}
}

// What is kept names the files of its spec from the folder that it lies in, and nothing that only begins as such a file does.
func TestKeptCellsNameNoAbsolutePath(t *testing.T) {
	top := t.TempDir()
	data := filepath.Join(top, "rows <1>.csv")
	s := Sweep{Fields: []Field{{Key: "seed", Values: []string{"1"}}}, Folder: filepath.Join(top, "out"), Key: func([]string) string { return "" }, Files: []string{"", data}, Workers: 1,
		Run: func(context.Context, []string) (*report.Result, error) {
			return &report.Result{Name: data + ".old", Spec: map[string]any{"data": map[string]any{"path": data}}}, nil
		}}
	if _, err := s.Rows(context.Background(), func(Row, bool) {}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(s.path(nil))
	if err != nil {
		t.Fatal(err)
	}
	var kept struct {
		Result struct {
			Name string
			Spec struct{ Data struct{ Path string } }
		}
	}
	if err := json.Unmarshal(text, &kept); err != nil {
		t.Fatal(err)
	}
	if got := kept.Result.Spec.Data.Path; got != "../../rows <1>.csv" {
		t.Errorf("the file is named %q", got)
	}
	if got := kept.Result.Name; got != data+".old" {
		t.Errorf("another text became %q", got)
	}
}
