package yamltext

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/hearsay-dp/hearsay/internal/draws"
	"github.com/hearsay-dp/hearsay/internal/math"
)

var odd = []string{"", "a", "a b", " a", "a ", "True", "null", "~", "yes", "NO", "0x1F", "010", "1.0", "1e3", ".5", "-", "- a", "? a", "a: b", "a:", ":a", "#N/A", "a #b", "12,300", "[a", "{b}",
	"*a", "&a", "!a", "|", ">", "%a", "@a", "`a", `"a"`, "'a'", `a"b`, `\N`, "a\nb", "a\tb", "\ufeffa", "é", "日本", "\u0085", "\u2028", "\x00", "\x7f", "=", "<<", ".", "...", "---", "a\\b", "2020-01-01", "1_000", ".inf", "0b1", "+1", "1:30"}

// What is written is read as it was, on one line and as a document, by names and values.
func TestWhatIsWrittenIsRead(t *testing.T) {
	try := func(t interface{ Fatalf(string, ...any) }, words []string) {
		for how, text := range map[string]func() ([]byte, error){
			"flow": func() ([]byte, error) {
				pairs := Pairs{{Key: "words", Value: words}}
				lists := Pairs{}
				for _, word := range words {
					lists = append(lists, Pair{Key: word, Value: []string{word}})
				}
				return []byte(Flow(append(pairs, Pair{Key: "lists", Value: lists}))), nil
			},
			"block": func() ([]byte, error) {
				v := all{Words: words, Lists: map[string][]string{}}
				for _, word := range words {
					v.Lists[word] = []string{word}
				}
				return Marshal(v)
			},
		} {
			out, err := text()
			v, readErr := decoded(string(out))
			if err != nil || readErr != nil || !reflect.DeepEqual(v.Words, words) || len(v.Lists) != len(words) {
				t.Fatalf("%s: %v, %v: %q is written as\n%s\nand read as %q", how, err, readErr, words, out, v.Words)
			}
			for _, word := range words {
				if !reflect.DeepEqual(v.Lists[word], []string{word}) {
					t.Fatalf("%s: the key %q is read as %q\n%s", how, word, v.Lists, out)
				}
			}
		}
	}
	for _, word := range odd {
		try(t, []string{word})
	}
	rapid.Check(t, func(t *rapid.T) {
		try(t, rapid.SliceOfNDistinct(rapid.OneOf(rapid.SampledFrom(odd), rapid.StringN(0, 6, -1)), 1, 4, rapid.ID).Draw(t, "words"))
	})
}

func TestPlainWordsStandWithoutQuotes(t *testing.T) {
	got := Flow(Pairs{{Key: "categories", Value: Pairs{{Key: "blood.group", Value: []string{"A", "AB neg", "12,300", "no", "7"}}}}, {Key: "l2", Value: 1e-7}})
	if want := `{categories: {blood.group: [A, AB neg, "12,300", "no", "7"]}, l2: 1.0e-07}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Numbers that are not finite are written as YAML 1.2 has them, which other readers take for numbers.
func TestInfinitiesAreNumbers(t *testing.T) {
	out, err := Marshal(map[string]float64{"a": math.Inf(1), "b": math.Inf(-1), "c": math.NaN()})
	if want := "a: .inf\nb: -.inf\nc: .nan\n"; err != nil || string(out) != want {
		t.Errorf("%q, %v, want %q", out, err, want)
	}
}
