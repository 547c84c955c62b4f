package dataset

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/textfile"
)

// german is the table of TestTablesAreReadAsTheyAreWritten as an office in Zurich saves it.
const german = "alter;druck;ort;krank\n40,5;110;Z\xfcrich;ja\n,5;999;Gen\xe8ve;nein\n-3;1,2e2;Z\xfcrich;ja\n41;999,0;Basel;nein\n"

// A table with another separator, decimal mark, encoding and texts for no value gives the same numbers
// as one that is written as usual, to a simulation, a participant and a trained model.
func TestTablesAreReadAsTheyAreWritten(t *testing.T) {
	usual := "alter,druck,ort,krank\n40.5,110,Zürich,ja\n.5,NA,Genève,nein\n-3,120,Zürich,ja\n41,NA,Basel,nein\n"
	recipe := CSV{Target: "krank", Task: Classification, Categories: map[string][]string{"ort": {"Basel", "Genève", "Zürich"}}, Fill: map[string]string{"druck": "100.5"}}
	want, err := ReadCSV(strings.NewReader(usual), "usual.csv", recipe)
	if err != nil {
		t.Fatal(err)
	}
	n := textfile.Notation{Separator: ";", Decimal: ",", Encoding: "latin-1", Missing: []string{"999"}}
	recipe.Notation = n
	got, err := ReadCSV(strings.NewReader(german), "german.csv", recipe)
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("a simulation has %v, %v; want %v", got, err, want)
	}
	shape := Shape{Target: "krank", Task: Classification, Classes: []string{"nein", "ja"}, Ranges: map[string][2]float64{"alter": {-10, 100}, "druck": {0, 200}},
		Categories: recipe.Categories, Fill: recipe.Fill}
	other := shape
	other.Notation = n
	a, err := shape.ReadShard(strings.NewReader(usual), "usual.csv", 0, 1, 0)
	b, err2 := other.ReadShard(strings.NewReader(german), "german.csv", 0, 1, 0)
	if err != nil || err2 != nil || fmt.Sprint(a) != fmt.Sprint(b) || len(b.Filled) != 1 || b.Filled[0].Values != 2 {
		t.Errorf("a participant has %v, %v, %v; want %v", b, err, err2, a)
	}
	layout := Layout{Features: want.Features, Target: "krank", Categories: recipe.Categories, Fill: recipe.Fill, Keep: []string{"ort", "druck"}}
	c, err := layout.Read(strings.NewReader(usual), "usual.csv")
	layout.Notation = n
	d, err2 := layout.Read(strings.NewReader(german), "german.csv")
	if err != nil || err2 != nil || fmt.Sprint(c.X, c.Labels) != fmt.Sprint(d.X, d.Labels) || strings.Join(d.Kept, " ") != "Zürich 110 Genève 999 Zürich 1,2e2 Basel 999,0" {
		t.Errorf("a model has %v, %v, %v; want %v", d, err, err2, c)
	}
}

// What could be read in two ways is refused, with what to say.
func TestNotationsThatDoNotFitAreRefused(t *testing.T) {
	for _, c := range []struct {
		text, says, hint string
		n                textfile.Notation
	}{
		{german, "not separated by commas", `separator: ";"`, textfile.Notation{Encoding: "latin-1"}},
		{german, "is not UTF-8", "--encoding windows-1252 on the command line; or, if it is Latin-1", textfile.Notation{Separator: ";"}},
		{"a,b,krank\n1,5,ja\n", "commas stand between columns and in numbers", `separator: ";"`, textfile.Notation{Decimal: ","}},
		{"a;krank\n1,5;ja\n2,5;nein\n", `column "a" is not a number`, `decimal: ","`, textfile.Notation{Separator: ";"}},
		{"a;krank\n1.234,5;ja\n2,5;nein\n", `column "a" is not a number: "1.234,5"`, "correct the value", textfile.Notation{Separator: ";", Decimal: ","}},
		{"a;krank\n1.5;ja\n2,5;nein\n", `column "a" is not a number: "1.5"`, "correct the value", textfile.Notation{Separator: ";", Decimal: ","}},
		{"1,5;2,5\n3,5;4\n", "holds numbers, and no names", "write one before", textfile.Notation{Separator: ";", Decimal: ","}},
		{"a,krank\n1,ja\n2,nein\n", `missing_values: "ja" is one of the classes`, "list it once", textfile.Notation{Missing: []string{"ja"}}},
		{"a,krank\n1,ja\n2,nein\n", `separator: "/"`, "is one of", textfile.Notation{Separator: "/"}},
		{"day,krank\n2021-03-04,ja\n2021-03-05,nein\n", `column "day" is a date in 2 rows`, "drop: [day], or write numbers in place of dates", textfile.Notation{}},
		{"day;krank\n4.3.2021 10:30;ja\n5.3.21;nein\n", `column "day" is a date in 2 rows`, "drop: [day]", textfile.Notation{Separator: ";", Decimal: ","}},
	} {
		_, err := ReadCSV(strings.NewReader(c.text), "t.csv", CSV{Target: "krank", Task: Classification, Classes: []string{"nein", "ja"}, Notation: c.n})
		if err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(fault.Hint(err), c.hint) {
			t.Errorf("%q as %+v: %v (%s)", c.text, c.n, err, fault.Hint(err))
		}
	}
}
