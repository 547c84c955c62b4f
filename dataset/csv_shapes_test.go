package dataset

import (
	"math"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"
)

// What spreadsheets write besides plain tables is read as it is meant, or is an
// error with a way out; never other numbers.
func TestCSVOfSpreadsheets(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		x    []float64 // nil: an error
	}{
		"plain":            {"a,y\n1,2\n3,4\n", []float64{1, 3}},
		"byte order mark":  {"\ufeffa,y\n1,2\n3,4\n", []float64{1, 3}},
		"carriage returns": {"a,y\r\n1,2\r\n3,4\r\n", []float64{1, 3}},
		"semicolons":       {"a;y\n1;2\n3;4\n", nil},
		"quoted header":    {"\"a\nb\",y\n1,2\n3,4\n", []float64{1, 3}},
		"thousands":        {"a,y\n\"1,000\",2\n3,4\n", nil},
		"decimal commas":   {"a;y\n1,5;2\n3;4\n", nil},
		"same names":       {"a,a,y\n1,1,2\n3,3,4\n", nil},
		"ragged":           {"a,y\n1,2,3\n3,4\n", nil},
	} {
		table, err := ReadCSV(strings.NewReader(c.text), "f", CSV{Target: "y", Task: Regression})
		switch {
		case c.x == nil && (err == nil || fault.Hint(err) == ""):
			t.Errorf("%s: %v, without an error that has a hint (%v)", name, table, err)
		case c.x != nil && (err != nil || len(table.X) != 2 || table.X[0] != c.x[0] || table.X[1] != c.x[1]):
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Whatever the bytes, a table has whole rows of finite numbers, or there is an
// error.
func FuzzReadCSV(f *testing.F) {
	for _, text := range []string{"a,y\n1,2\n", "\ufeffa;y\n1;2\n", "a,y\n?,2\n", "a,a,y\n1,1,2\n", "\"a\nb\",y\n\"1,000\",2\n", "a,y\nInf,NaN\n"} {
		f.Add(text, true)
		f.Add(text, false)
	}
	f.Fuzz(func(t *testing.T, text string, skip bool) {
		table, err := ReadCSV(strings.NewReader(text), "f", CSV{Target: "y", Task: Regression, SkipMissing: skip})
		if err != nil {
			return
		}
		if d := len(table.Features); len(table.X) != d*len(table.Y) || len(table.Y) == 0 {
			t.Fatalf("%d values, %d labels, %d features", len(table.X), len(table.Y), d)
		}
		for _, x := range append(table.X, table.Y...) {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				t.Fatalf("the value %g", x)
			}
		}
	})
}
