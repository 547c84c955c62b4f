package yamltext

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/testdata"
)

// bomb is a list of nine, of which a list of nine is made, and so on.
func bomb(levels int) string {
	text := "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
	for i := 1; i <= levels; i++ {
		text += fmt.Sprintf("a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 9), ", "))
	}
	return text
}

func TestWhatCostsTooMuchIsRefused(t *testing.T) {
	testdata.Sequential(t)
	for name, c := range map[string]struct{ text, what string }{
		"long":            {"a: " + strings.Repeat("x", 1<<20), "longer than"},
		"empty":           {" \n", "empty"},
		"no text":         {"a: \x00", "not text"},
		"brackets":        {"a: " + strings.Repeat("[", 100_000), "nested"},
		"closed brackets": {"a: " + strings.Repeat("[", 100) + strings.Repeat("]", 100), "nested"},
		"braces":          {strings.Repeat("{a: ", 1000), "nested"},
		"dashes":          {strings.Repeat("- ", 1000) + "a", "nested"},
		"indentation":     {indented(100), "nested"},
		"question marks":  {strings.Repeat("? ", 1000) + "a", "nested"},
		"aliases":         {bomb(8), "stand for more"},
		"many keys":       {"a:\n" + keys(5000), "more than 4096 keys"},
		"many flow keys":  {"a: {" + strings.ReplaceAll(keys(5000), "\n", ",") + "}", "more than 4096 keys"},
		"documents":       {strings.Repeat("---\na: b\n", 100), "documents"},
		"words":           {"a: [" + strings.Repeat("b,", 400_000) + "]", "words"},
	} {
		err := Check([]byte(c.text), 1<<20)
		if err == nil || !strings.Contains(err.Error(), c.what) || fault.Hint(err) == "" {
			t.Errorf("%s: %v, want %q and a hint", name, err, c.what)
		}
	}
}

func indented(levels int) (text string) {
	for i := range levels {
		text += strings.Repeat(" ", i) + "a:\n"
	}
	return text
}

func keys(n int) (text string) {
	for i := range n {
		text += fmt.Sprintf("  k%d: [0, 1]\n", i)
	}
	return text
}

func TestWhatPeopleWriteIsLetPass(t *testing.T) {
	testdata.Sequential(t)
	for _, text := range []string{
		"a: 1", "a:\n" + keys(4000), indented(40), "a: &x {b: 1}\nc: *x\nd: {<<: *x, e: 2}", bomb(3),
		"# only a note\na: [1, [2, [3]]]\n---\nb: 2",
		"a:\n" + strings.Repeat("- b: {c: [d, e]}\n  f: g\n", 5000),
		"a: [", // the decoder explains it
	} {
		if err := Check([]byte(text), 1<<20); err != nil {
			t.Errorf("%.40q: %v", text, err)
		}
	}
}

func FuzzCheck(f *testing.F) {
	for _, text := range []string{bomb(2), "a: !x {b: c}", "? a\n: b", "&a *a", "- - [", "a: &a [*a]", "a: |\n  b\n", "<<: *x"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := Check(text, 1<<16); err != nil && fault.Hint(err) == "" {
			t.Errorf("no hint for %v", err)
		}
	})
}
