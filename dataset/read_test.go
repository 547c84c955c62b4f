package dataset

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/textfile"
)

// expectFault checks that an error is one line with these words and a hint.
func expectFault(t *testing.T, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", words)
	}
	if strings.Contains(err.Error(), "\n") || fault.Hint(err) == "" {
		t.Errorf("error %q with hint %q", err, fault.Hint(err))
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error %q lacks %q", err, w)
		}
	}
}

func TestCSVErrors(t *testing.T) {
	for _, c := range []struct {
		name, text string
		options    CSV
		want       []string
	}{
		{"NaN", "a,b,y\n1,2,0\n3,NaN,1\n", CSV{Target: "y"}, []string{`f.csv line 3: column "b" has no value ("NaN")`}},
		{"infinite", "a,y\n-inf,0\n", CSV{Target: "y"}, []string{`line 2: column "a" is infinite`}},
		{"too large", "a,y\n1e999,0\n", CSV{Target: "y"}, []string{`line 2: column "a" is too large`}},
		{"text", "a,y\nred,0\n", CSV{Target: "y"}, []string{`line 2: column "a" is not a number: "red"`}},
		{"empty field", "a,y\n,0\n", CSV{Target: "y"}, []string{`line 2: column "a" has no value ("")`}},
		{"question mark", "a,y\n?,0\n", CSV{Target: "y"}, []string{`line 2: column "a" has no value ("?")`}},
		{"short row", "a,b,y\n1,2,0\n\n1,2\n", CSV{Target: "y"}, []string{`line 4 has 2 fields instead of 3: column "y" is missing`}},
		{"long row", "a,y\n1,2,77\n", CSV{Target: "y"}, []string{`line 2 has 3 fields instead of 2: "77" comes after`}},
		{"missing column", "a,b\n1,2\n", CSV{Target: "y"}, []string{`f.csv has no column "y"`}},
		{"missing group", "a,y\n1,2\n", CSV{Target: "y", Group: "town"}, []string{`no column "town"`}},
		{"no target", "a,y\n1,2\n", CSV{}, []string{"no target"}},
		{"target dropped", "a,y\n1,2\n", CSV{Target: "y", Drop: []string{"y"}}, []string{`"y" is asked for twice`}},
		{"same name", "a,a,y\n1,2,3\n", CSV{Target: "y"}, []string{`two columns are called "a"`}},
		{"no name", "a,,y\n1,2,3\n", CSV{Target: "y"}, []string{"column 2 has no name"}},
		{"empty", "", CSV{Target: "y"}, []string{"f.csv is empty"}},
		{"header only", "a,y\n", CSV{Target: "y"}, []string{"f.csv has no rows"}},
		{"no features", "y\n1\n", CSV{Target: "y"}, []string{"no feature column"}},
		{"one class", "a,y\n1,x\n2,x\n", CSV{Target: "y"}, []string{`"y" has 1 distinct values`}},
		{"quote", "a,y\n\"1,2\n", CSV{Target: "y"}, []string{"line "}},
		{"all missing", "a,y\n?,1\n", CSV{Target: "y", SkipMissing: true}, []string{"has no rows"}},
		{"label", "a,y\n1,tall\n", CSV{Target: "y", Task: Regression}, []string{`column "y" is not a number: "tall"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.options.Task == "" {
				c.options.Task = Classification
			}
			_, err := ReadCSV(strings.NewReader(c.text), "f.csv", c.options)
			expectFault(t, err, c.want...)
		})
	}
}

func TestCSVRoles(t *testing.T) {
	text := "\ufefftown, age ,id,y\n" + `"Lille, Nord", 30,x,+1` + "\r\nArles,?,x,1.0\nArles,40 ,x,-1\n"
	table, err := ReadCSV(strings.NewReader(text), "f.csv", CSV{Target: "y", Task: Classification, Group: "town", Drop: []string{"id"}, SkipMissing: true})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(table.X, []float64{30, 40}) || !slices.Equal(table.Y, []float64{1, -1}) || !slices.Equal(table.Classes, []string{"-1", "1"}) {
		t.Errorf("X %v, Y %v, classes %v", table.X, table.Y, table.Classes)
	}
	if !slices.Equal(table.GroupNames, []string{"Arles", "Lille, Nord"}) || !slices.Equal(table.Groups, []int32{1, 0}) {
		t.Errorf("groups %v of %v", table.Groups, table.GroupNames)
	}
	if table.Dropped != 1 || len(table.Missing) != 1 || table.Missing[0].Rows != 1 {
		t.Errorf("dropped %d, missing %v", table.Dropped, table.Missing)
	}
}

func TestLabelsInOrder(t *testing.T) {
	for text, want := range map[string][]float64{
		"P N P":   {1, -1, 1},
		"10 9 10": {1, -1, 1}, // as numbers, not as text
		"b a c b": {1, 0, 2, 1},
	} {
		l := newLegend()
		var codes []int32
		for _, w := range strings.Fields(text) {
			codes = append(codes, l.number(w))
		}
		table := &Table{Target: "y", Y: make([]float64, len(codes))}
		if err := labelClasses(table, "f", l, codes); err != nil || !slices.Equal(table.Y, want) {
			t.Errorf("%q became %v (%v), want %v", text, table.Y, err, want)
		}
	}
}

// splitLines is the simplest CSV reader there is.
func splitLines(text string) (x [][]float64) {
	for _, line := range strings.Split(strings.TrimSpace(text), "\n")[1:] {
		var row []float64
		for _, field := range strings.Split(line, ",") {
			v, _ := strconv.ParseFloat(field, 64)
			row = append(row, v)
		}
		x = append(x, row)
	}
	return x
}

func TestCSVAgainstSplitting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, columns := rapid.IntRange(1, 6).Draw(t, "rows"), rapid.IntRange(2, 5).Draw(t, "columns")
		var text strings.Builder
		for j := range columns {
			fmt.Fprintf(&text, "c%d%s", j, map[bool]string{true: "\n", false: ","}[j == columns-1])
		}
		for range rows {
			for j := range columns {
				v := rapid.Float64Range(-1e6, 1e6).Draw(t, "value")
				fmt.Fprintf(&text, "%v%s", v, map[bool]string{true: "\n", false: ","}[j == columns-1])
			}
		}
		target := rapid.IntRange(0, columns-1).Draw(t, "target")
		table, err := ReadCSV(strings.NewReader(text.String()), "f", CSV{Target: fmt.Sprintf("c%d", target), Task: Regression})
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range splitLines(text.String()) {
			if table.Y[i] != row[target] || !slices.Equal(table.Row(i), slices.Delete(row, target, target+1)) {
				t.Fatalf("row %d: %v %v, want %v", i, table.Row(i), table.Y[i], row)
			}
		}
	})
}

func TestLIBSVMErrors(t *testing.T) {
	for text, want := range map[string]string{
		"1 1:2\n-1 2:nan\n":  `f line 2: column "2" is NaN: "nan"`,
		"1 1:inf\n":          "infinite",
		"x 1:2\n":            `line 1: the label is not a number: "x"`,
		"nan 1:2\n":          "the label is NaN",
		"1 1\n":              `"1" is not index:value`,
		"1 a:2\n":            `"a:2" is not index:value`,
		"1 0:2\n":            "below 1",
		"1 2:1 2:1\n":        "index 2 comes after 2",
		"1 3:1 2:1\n":        "index 2 comes after 3",
		"1 9:1\n":            "index 9 is above the dimension 8",
		"":                   "no rows",
		"# nothing\n\n":      "no rows",
		"1 1:1\n1 2:1\n":     "1 distinct values",
		"1 1:\n":             "not a number",
		"1 99999999999999:1": "above the dimension",
	} {
		_, err := ReadLIBSVM(strings.NewReader(text), "f", 8, Classification)
		expectFault(t, err, want)
	}
	_, err := ReadLIBSVM(strings.NewReader("1 1048577:1\n"), "f", 0, Regression)
	expectFault(t, err, "above the dimension 1048576")
}

// naiveLIBSVM reads well-formed text into maps.
func naiveLIBSVM(text string) (rows []map[int]float64) {
	for _, line := range strings.Split(text, "\n") {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		row := make(map[int]float64)
		row[0], _ = strconv.ParseFloat(fields[0], 64)
		for _, pair := range fields[1:] {
			var j int
			var v float64
			fmt.Sscanf(pair, "%d:%g", &j, &v)
			row[j] = v
		}
		rows = append(rows, row)
	}
	return rows
}

func TestLIBSVMAgainstMaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		text.WriteString("0 1:1")
		for range rapid.IntRange(0, 5).Draw(t, "rows") {
			fmt.Fprintf(&text, " \r\n%v", rapid.IntRange(-3, 3).Draw(t, "label"))
			for j := 1; j < 9; j += rapid.IntRange(1, 8).Draw(t, "gap") {
				fmt.Fprintf(&text, "  %d:%v", j, rapid.Float64Range(-10, 10).Draw(t, "value"))
			}
			text.WriteString(rapid.SampledFrom([]string{"", "\n", "\n\n"}).Draw(t, "blank"))
		}
		table, err := ReadLIBSVM(strings.NewReader(text.String()), "f", 9, Regression)
		if err != nil {
			t.Fatal(err)
		}
		want := naiveLIBSVM(text.String())
		if len(want) != table.Rows() {
			t.Fatalf("%d rows, want %d", table.Rows(), len(want))
		}
		for i, row := range want {
			for j := 1; j <= 9; j++ {
				if table.Row(i)[j-1] != row[j] {
					t.Fatalf("row %d column %d is %v, want %v", i, j, table.Row(i)[j-1], row[j])
				}
			}
			if table.Y[i] != row[0] {
				t.Fatalf("label %d is %v, want %v", i, table.Y[i], row[0])
			}
		}
	})
}

func idxBytes(header []byte, data ...byte) []byte { return append(header, data...) }

func TestIDX(t *testing.T) {
	a, err := ReadIDX(bytes.NewReader(idxBytes([]byte{0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 3}, 1, 2, 3, 4, 5, 6)), "f")
	if err != nil || !slices.Equal(a.Shape, []int{2, 3}) || !bytes.Equal(a.Data, []byte{1, 2, 3, 4, 5, 6}) {
		t.Errorf("array %v, error %v", a, err)
	}
	for want, b := range map[string][]byte{
		"ends inside its header":     {0, 0, 8, 1, 0, 0},
		"no IDX array":               {0, 0, 13, 1, 0, 0, 0, 1, 0},
		"is empty":                   {0, 0, 8, 1, 0, 0, 0, 0},
		"above":                      {0, 0, 8, 2, 255, 255, 255, 255, 255, 255, 255, 255},
		"ends after 1 of 3 values":   {0, 0, 8, 1, 0, 0, 0, 3, 7},
		"goes on after its 1 values": {0, 0, 8, 1, 0, 0, 0, 1, 7, 7},
	} {
		_, err := ReadIDX(bytes.NewReader(b), "f")
		expectFault(t, err, want)
	}
}

// consistent checks what every reader promises about a table.
func consistent(t *testing.T, table *Table) {
	t.Helper()
	if len(table.X) != table.Rows()*len(table.Features) || table.Rows() == 0 || len(table.Features) == 0 {
		t.Fatalf("%d values for %d rows x %d features", len(table.X), table.Rows(), len(table.Features))
	}
	for _, v := range slices.Concat(table.X, table.Y) {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			t.Fatalf("value %v", v)
		}
	}
	if table.Groups != nil && len(table.Groups) != table.Rows() {
		t.Fatalf("%d groups for %d rows", len(table.Groups), table.Rows())
	}
	Describe(table)
}

func FuzzCSV(f *testing.F) {
	for _, seed := range []string{"a,b,y\n1,2,0\n3,4,1\n", "y\n", "a,y\n\"1\n", "a,g,y\n?,x,1\n2,x,2\n3,z,1\n", "\ufeffa,y\n1,p\n2,q\n"} {
		f.Add(seed, true, false, "", "", "", "")
		f.Add(strings.ReplaceAll(seed, ",", ";"), false, true, ";", ",", "latin-1", "2")
	}
	f.Fuzz(func(t *testing.T, text string, classes, skip bool, separator, decimal, encoding, missing string) {
		c := CSV{Target: "y", Task: Regression, SkipMissing: skip, Notation: textfile.Notation{Separator: separator, Decimal: decimal, Encoding: encoding}}
		if missing != "" {
			c.Notation.Missing = []string{missing}
		}
		if classes {
			c.Task = Classification
		}
		if strings.Contains(text, "g") {
			c.Group = "g"
		}
		table, err := ReadCSV(strings.NewReader(text), "f.csv", c)
		if err != nil {
			expectOneLine(t, err)
			return
		}
		consistent(t, table)
	})
}

// expectOneLine checks that an error can be shown to a person.
func expectOneLine(t *testing.T, err error) {
	t.Helper()
	if strings.Contains(err.Error(), "\n") || fault.Hint(err) == "" {
		t.Fatalf("error %q with hint %q", err, fault.Hint(err))
	}
}

func FuzzLIBSVM(f *testing.F) {
	for _, seed := range []string{"1 1:2 3:4\n-1 2:0.5\n", "+1 5:1 # note\n", "1 1:1", "0\n1 2:x", "1 1000:1"} {
		f.Add(seed, 8, true)
		f.Add(seed, 0, false)
	}
	f.Fuzz(func(t *testing.T, text string, features int, classes bool) {
		task := Regression
		if classes {
			task = Classification
		}
		table, err := ReadLIBSVM(strings.NewReader(text), "f", max(0, features%2000), task)
		if err != nil {
			expectOneLine(t, err)
			return
		}
		if len(table.Features) < 10000 {
			consistent(t, table)
		}
	})
}

func FuzzIDX(f *testing.F) {
	f.Add([]byte{0, 0, 8, 1, 0, 0, 0, 2, 7, 8})
	f.Add([]byte{0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 9})
	f.Add([]byte{0, 0, 8, 2, 0x3f, 255, 255, 255, 0, 0, 0, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := ReadIDX(bytes.NewReader(b), "f")
		if err != nil {
			expectOneLine(t, err)
			return
		}
		size := 1
		for _, n := range a.Shape {
			size *= n
		}
		if size != len(a.Data) || len(b) != 4+4*len(a.Shape)+size {
			t.Fatalf("shape %v with %d values of %d bytes", a.Shape, len(a.Data), len(b))
		}
	})
}

// All that is wrong with a table is told in one error, with what to write; with
// that written, it is read.
func TestAllTroubleAtOnce(t *testing.T) {
	text := "age,sex,city,y\n30,f,Basel,1\nNA,m,Bern,0\n,f,Basel,1\n41,x,Bern,0\n1e999,m,Bern,1\n"
	options := CSV{Target: "y", Task: Classification}
	_, err := ReadCSV(strings.NewReader(text), "rows.csv", options)
	if err == nil {
		t.Fatal("the table was taken")
	}
	for _, want := range []string{`"age" has no value in 2 rows (lines 3, 4), which are empty or hold NA`, `"sex"`, `"city"`, `"age" is too large`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %s", err, want)
		}
	}
	for _, want := range []string{"missing: drop", "categories: {", "drop: [age]"} {
		if !strings.Contains(fault.Hint(err), want) {
			t.Errorf("the hint %q does not say %s", fault.Hint(err), want)
		}
	}
	options.SkipMissing = true
	options.Categories = map[string][]string{"sex": {"f", "m", "x"}, "city": {"Basel", "Bern"}}
	table, err := ReadCSV(strings.NewReader(strings.Replace(text, "1e999", "50", 1)), "rows.csv", options)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(table.Features, table.Row(1), table.Dropped); got != "[age sex=f sex=m sex=x city=Basel city=Bern] [41 0 0 1 0 1] 2" {
		t.Errorf("read %s", got)
	}
	if _, err := ReadCSV(strings.NewReader("a;b\n1;2\n"), "rows.csv", options); err == nil || !strings.Contains(err.Error(), "commas") {
		t.Errorf("semicolons: %v", err)
	}
}

// Classes that are declared have the order in which they are listed, also where some
// do not occur; a label that is not listed is an error.
func TestDeclaredClasses(t *testing.T) {
	read := func(classes ...string) (*Table, error) {
		return ReadCSV(strings.NewReader("x,y\n1,b\n2,a\n3,b\n"), "t.csv", CSV{Target: "y", Task: Classification, Classes: classes})
	}
	table, err := read("b", "c", "a")
	if err != nil || !slices.Equal(table.Y, []float64{0, 2, 0}) || !slices.Equal(table.Classes, []string{"b", "c", "a"}) {
		t.Errorf("%+v, %v", table, err)
	}
	if table, err = read("b", "a"); err != nil || !slices.Equal(table.Y, []float64{-1, 1, -1}) {
		t.Errorf("%+v, %v", table, err)
	}
	if _, err := read("b", "c"); err == nil || !strings.Contains(err.Error(), `holds "a" in data row 2`) {
		t.Errorf("%v", err)
	}
}
