package spec

import (
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"
)

// TestNamesThatStandForColumns reads names with spans.
func TestNamesThatStandForColumns(t *testing.T) {
	for text, want := range map[string]string{
		"r{08..10}c{0..1}": "r08c0 r08c1 r09c0 r09c1 r10c0 r10c1", "age": "age", "{3..3}": "3", "x{1..}": "x{1..}", "x{a..b}": "x{a..b}",
	} {
		if got, err := spelled(text); err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
	read := func(given map[string]Range) (r Ranges, err error) {
		err = r.UnmarshalYAML(func(v any) error {
			*v.(*map[string]Range) = given
			return nil
		})
		return r, err
	}
	for want, given := range map[string]map[string]Range{
		"no column":           {"x{3..2}": {0, 1}},
		"more than":           {"x{0..999999}{0..999999}": {0, 1}},
		`"x2" is named twice`: {"x{1..3}": {0, 1}, "x2": {0, 1}},
		`"x3" is named twice`: {"x{1..3}": {0, 1}, "x{3..4}": {0, 1}},
	} {
		if _, err := read(given); err == nil || !strings.Contains(err.Error(), want) || fault.Hint(err) == "" {
			t.Errorf("%v: %v", given, err)
		}
	}
	if r, err := read(map[string]Range{"x{1..3}": {0, 2}, "y": {1, 2}}); err != nil || len(r) != 4 || r["x3"] != (Range{0, 2}) {
		t.Errorf("%v, %v", r, err)
	}
}

// FuzzNamesThatStandForColumns holds that no name takes long or stands for itself twice.
func FuzzNamesThatStandForColumns(f *testing.F) {
	f.Add("r{00..27}c{00..27}")
	f.Add("{9..1}{1..999999}")
	f.Fuzz(func(t *testing.T, name string) {
		names, err := spelled(name)
		if err == nil && (len(names) < 1 || len(names) > mostNamed) {
			t.Errorf("%q stands for %d columns", name, len(names))
		}
	})
}
