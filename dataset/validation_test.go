package dataset

import (
	"slices"
	"strings"
	"testing"
)

// numberedRows is a table whose only feature is the number of the row; every third row is of the second class.
func numberedRows(rows int) *Table {
	t := &Table{Source: "csv", Task: Classification, Classes: []string{"no", "yes"}, Features: []string{"row"}}
	for i := range rows {
		t.X, t.Y = append(t.X, float64(i)), append(t.Y, []float64{-1, -1, 1}[i%3])
	}
	return t
}

// Rows kept for choosing settings come from those to learn from: test rows are the same without them, and in neither part.
func TestValidationTakesTheTestRowsPlace(t *testing.T) {
	for _, split := range []string{"class", "index"} {
		o := Options{Source: "csv", Task: Classification, Test: 0.2, Split: split, Scale: "none", Normalise: "none", Partition: "uniform", Nodes: 4}
		plain, err := Federate(numberedRows(300), o, 7)
		if err != nil {
			t.Fatal(err)
		}
		o.Validate = 0.25
		kept, err := Federate(numberedRows(300), o, 7)
		if err != nil {
			t.Fatal(err)
		}
		if len(kept.Test.Y) != 60 || len(kept.Shards.Y) != 180 || kept.SetAside != 60 || plain.SetAside != 0 {
			t.Fatalf("%s: %d rows are validated on, %d learnt from, %d set aside", split, len(kept.Test.Y), len(kept.Shards.Y), kept.SetAside)
		}
		if !strings.Contains(strings.Join(kept.Notes, " "), "60 rows that are kept from the training part") {
			t.Errorf("%s: notes are %q", split, kept.Notes)
		}
		seen := append(slices.Clone(kept.Shards.X), kept.Test.X...)
		slices.Sort(seen)
		if len(slices.Compact(seen)) != 240 {
			t.Errorf("%s: the two parts share rows", split)
		}
		for _, x := range plain.Test.X {
			if _, found := slices.BinarySearch(seen, x); found {
				t.Errorf("%s: test row %g was looked at", split, x)
			}
		}
	}
}

// What cannot be kept is refused.
func TestValidationIsRefused(t *testing.T) {
	for _, o := range []Options{{Source: "csv", Validate: 1}, {Source: "csv", Validate: -0.1}, {Source: "two-gaussians", Validate: 0.1}} {
		o.Test, o.Nodes, o.Scale, o.Normalise = 0.2, 2, "none", "none"
		if err := o.check(); err == nil || !strings.Contains(err.Error(), "data.validation") {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
