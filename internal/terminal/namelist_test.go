package terminal

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/hearsay-dp/hearsay/internal/draws"
)

func among(names ...string) func(string) bool {
	return func(name string) bool { return slices.Contains(names, strings.TrimSpace(name)) }
}

func TestNamesWithCommasAndQuotesAreFound(t *testing.T) {
	known := among("Lyon", "Łódź, ulica", `St. John's "North"`, "007", "7", "a", "b", "a,b")
	for _, c := range []struct {
		given []string
		want  []string
	}{
		{nil, nil},
		{[]string{"Lyon,007"}, []string{"Lyon", "007"}},
		{[]string{"Lyon", "7"}, []string{"Lyon", "7"}},
		{[]string{"Łódź, ulica"}, []string{"Łódź, ulica"}},
		{[]string{"Łódź, ulica,007"}, []string{"Łódź, ulica", "007"}},
		{[]string{`"Łódź, ulica",007`}, []string{"Łódź, ulica", "007"}},
		{[]string{`St. John's "North"`}, []string{`St. John's "North"`}},
		{[]string{`7,St. John's "North",Łódź, ulica`}, []string{"7", `St. John's "North"`, "Łódź, ulica"}},
		{[]string{`"St. John's ""North""",7`}, []string{`St. John's "North"`, "7"}},
		{[]string{"a,b"}, []string{"a", "b"}},
		{[]string{`"a,b"`}, []string{"a,b"}},
		{[]string{"nobody,7"}, []string{"nobody", "7"}},
		{[]string{`no"body,7`}, []string{`no"body`, "7"}},
		{[]string{""}, []string{""}},
	} {
		if got := NameList(c.given, known); !slices.Equal(got, c.want) {
			t.Errorf("%q is %q, want %q", c.given, got, c.want)
		}
	}
}

// Any list of names that are there is found again, quoted or not where it can mean one thing only.
func TestNamesAreFoundAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-c]{1,2}(, ?[d-f"]{1,2})?`), 1, 6, rapid.ID[string]).Draw(t, "names")
		given := rapid.SliceOfNDistinct(rapid.SampledFrom(names), 1, len(names), rapid.ID[string]).Draw(t, "given")
		if got := NameList([]string{strings.Join(given, ",")}, among(names...)); !slices.Equal(got, given) {
			t.Fatalf("%q of %q is %q", given, names, got)
		}
	})
}

// Names in a list are told apart, whatever is in them.
func TestListedNamesAreToldApart(t *testing.T) {
	for _, c := range []struct {
		names []string
		most  int
		want  string
	}{
		{nil, 2, ""},
		{[]string{"a", "b"}, 2, "a b"},
		{[]string{"a", "b", "c"}, 2, "a b and 1 more"},
		{[]string{"Blatt 1", "Blatt 2"}, 2, "Blatt 1, Blatt 2"},
		{[]string{"Ulica, 7", "Blatt 2", "b"}, 2, "Ulica, 7; Blatt 2; and 1 more"},
	} {
		if got := Listed(c.names, c.most); got != c.want {
			t.Errorf("%q is %q, want %q", c.names, got, c.want)
		}
	}
}
