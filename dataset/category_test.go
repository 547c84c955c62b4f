package dataset

import "testing"

// A field is a category by its text, or as the one number that it says, however it is written.
func TestCategoriesThatAreNumbers(t *testing.T) {
	for _, c := range []struct {
		list  []string
		field string
		want  int
	}{
		{[]string{"1", "2"}, "1", 0}, {[]string{"1", "2"}, "2.0", 1}, {[]string{"1", "2"}, "+1", 0}, {[]string{"1.0", "2.5"}, "1", 0},
		{[]string{"1", "2"}, "3", -1}, {[]string{"1", "2"}, "one", -1}, {[]string{"01", "1"}, "01", 0}, {[]string{"01", "1"}, "1", 1},
		{[]string{"01", "1"}, "1.0", -1}, {[]string{"nan", "1"}, "NaN", -1}, {[]string{"a", "b"}, "b", 1}, {[]string{"0", "1"}, "-0", 0}, {nil, "1", -1},
	} {
		if got := categoryOf(c.list, c.field); got != c.want {
			t.Errorf("%q among %q is %d, want %d", c.field, c.list, got, c.want)
		}
	}
}
