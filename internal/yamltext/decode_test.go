package yamltext

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/fault"
)

// all is something of every type that is read.
type all struct {
	Name   string               `yaml:"name"`
	Number float64              `yaml:"number"`
	Whole  int                  `yaml:"whole"`
	Count  uint64               `yaml:"count"`
	Flag   bool                 `yaml:"flag"`
	Wait   time.Duration        `yaml:"wait"`
	Words  []string             `yaml:"words"`
	Lists  map[string][]string  `yaml:"lists"`
	Weight map[string]float64   `yaml:"weight"`
	Range  map[string][]float64 `yaml:"range"`
	Below  *all                 `yaml:"below"`
	Any    any                  `yaml:"any"`
}

func decoded(text string) (v all, err error) {
	d, err := NewDocument([]byte(text), 1<<16, "x.yaml")
	if err == nil {
		err = d.Decode(&v)
	}
	return v, err
}

// A key that is a number, a truth value or null is a name where names stand, and an unknown
// key elsewhere: no mapping around it vanishes.
func TestKeysThatAreNoWords(t *testing.T) {
	for _, key := range []string{"7", "-1", "1.5", "010", "0x1F", "true", "False", "null", "~", ".inf", ".NaN", "1e3", "1_000", `"7"`, "0b11", "0o7", "+12"} {
		name := strings.Trim(key, `"`)
		for _, text := range []string{"weight: {a: 1, " + key + ": 2}", "weight:\n  a: 1\n  " + key + ": 2\n", "weight: {a: 1, ? " + key + " : 2}"} {
			v, err := decoded(text)
			if err != nil || len(v.Weight) != 2 || v.Weight["a"] != 1 || v.Weight[name] != 2 {
				t.Errorf("%s: %v, %v", text, v.Weight, err)
			}
		}
		for _, text := range []string{"whole: 3\n" + key + ": 1\n", "below: {whole: 3, " + key + ": 1}", "below:\n  " + key + ": 1\n", "<<: {" + key + ": 1}"} {
			_, err := decoded(text)
			if k, unknown := IsUnknown(err); !unknown || k != name || !strings.HasPrefix(err.Error(), "x.yaml:") {
				t.Errorf("%s: %v, want an unknown field %q", text, err, name)
			}
		}
	}
	for _, text := range []string{"[a, b]: 1", "{a: 1}: 2", "? [a]\n: 1", "&a b: 1", "a: 1\n: 2", "{: 1}", "weight: {a: 1, a: 2}", "weight: {1: 1, \"1\": 2}", "name: a\n---\nname: b\n"} {
		if v, err := decoded(text); err == nil || fault.Hint(err) == "" {
			t.Errorf("%q is read as %+v", text, v)
		}
	}
}

// A text is the source text of a scalar wherever texts stand.
func TestTextsAreTheirSource(t *testing.T) {
	const list = `[True, FALSE, null, ~, 0x1F, 010, 1.50, 1e3, .5, yes, 2020-01-01, 1_000, "a, b", '#N/A', "", -0, .NaN, +1]`
	want := []string{"True", "FALSE", "null", "~", "0x1F", "010", "1.50", "1e3", ".5", "yes", "2020-01-01", "1_000", "a, b", "#N/A", "", "-0", ".NaN", "+1"}
	v, err := decoded("name: 007\nwords: " + list + "\nlists: {a: " + list + "}\nany: &x " + list + "\nbelow: {words: *x}\n")
	if err != nil || v.Name != "007" || !reflect.DeepEqual(v.Words, want) || !reflect.DeepEqual(v.Lists["a"], want) || !reflect.DeepEqual(v.Below.Words, want) {
		t.Errorf("%v\n%+v", err, v)
	}
}

func TestValuesAreReadOrRefused(t *testing.T) {
	v, err := decoded("below: {number: 1e-3, whole: 1e3, count: 18446744073709551615, flag: true, wait: 90s, range: {a: [0, -1.5]}}\nnumber: ~\nany: {1: [2, x]}")
	want := all{Below: &all{Number: 1e-3, Whole: 1000, Count: 1<<64 - 1, Flag: true, Wait: 90 * time.Second, Range: map[string][]float64{"a": {0, -1.5}}},
		Any: map[string]any{"1": []any{uint64(2), "x"}}}
	if err != nil || !reflect.DeepEqual(v, want) {
		t.Errorf("%v\n%+v", err, v)
	}
	for text, what := range map[string]string{
		"number: lots":                "x.yaml:1:9: \"lots\" is not a number",
		"whole: 1.5":                  "whole: 1.5 is not a whole number",
		"below: {whole: 2.5}":         "below.whole: 2.5 is not a whole number",
		"whole: 9223372036854775808":  "out of range",
		"count: -1":                   "out of range",
		"whole: .inf":                 "out of range",
		"flag: yes":                   `"yes" is not true or false`,
		"wait: soon":                  "length of time",
		"words: a":                    "string was used where sequence is expected",
		"words: [a, [b]]":             "sequence was used where string is expected",
		"words: [a, {b: c}]":          "mapping was used where string is expected",
		"words:\n- a\n-\n":            "words.1 has no value",
		"weight: {a: }":               "weight.a has no value",
		"range: {a: [0, null]}":       "range.a.1 has no value",
		"weight: [a]":                 "sequence was used where mapping is expected",
		"below: 3":                    "int was used where mapping is expected",
		"name: [a]":                   "sequence was used where string is expected",
		"name: *x":                    "no value before it has the anchor",
		"any: &a [*a]":                "no value before it has the anchor",
		"name: !thing a":              "the tag !thing is not known",
		"just a word":                 "string was used where mapping is expected",
		"weight: {<<: 3}":             "<< is given a int",
		"name: a\nname: b\n":          "already defined",
		"any: {a: 1, <<: {b: 1}, 3}:": "x.yaml",
	} {
		v, err := decoded(text)
		if err == nil || !strings.Contains(err.Error(), what) || !strings.HasPrefix(err.Error(), "x.yaml") || fault.Hint(err) == "" {
			t.Errorf("%q: %v (%s), %+v, want %q", text, err, fault.Hint(err), v, what)
		}
	}
}

func TestMergedKeysGiveWay(t *testing.T) {
	v, err := decoded("any: &a {whole: 1, number: 2}\nbelow: {<<: *a, whole: 3}\n")
	if err != nil || v.Below.Whole != 3 || v.Below.Number != 2 {
		t.Errorf("%v, %+v", err, v.Below)
	}
}

// count counts the leaves of a decoded value as Node.leaves does.
func count(v any) (n int) {
	switch v := v.(type) {
	case map[string]any:
		for _, below := range v {
			n += count(below)
		}
	case []any:
		for _, below := range v {
			n += count(below)
		}
	}
	return max(n, 1)
}

// scalars counts the scalars that a text has as words, and those of what was read of it,
// keys included.
func scalars(t *testing.T, text string, n *Node) (words, read int) {
	tokens, err := scan([]byte(text))
	if err != nil {
		t.Skip()
	}
	for _, token := range tokens {
		switch token.Type.String() {
		case "Anchor", "Alias", "Tag", "MergeKey", "Directive", "DocumentHeader":
			t.Skip()
		case "String", "SingleQuote", "DoubleQuote", "Integer", "BinaryInteger", "OctetInteger", "HexInteger", "Float", "Infinity", "Nan", "Bool", "Null":
			words++
		}
	}
	var count func(n *Node)
	count = func(n *Node) {
		for _, item := range n.Items {
			count(item)
		}
		for _, key := range n.Keys {
			read++
			count(key.Value)
		}
		if n.Kind != List && n.Kind != Mapping && (n.Kind != Null || n.Text != "") {
			read++
		}
	}
	if n != nil {
		count(n)
	}
	return words, read
}

// Nothing that a text says is lost between its words and the value that is read.
func FuzzNothingVanishes(f *testing.F) {
	for _, text := range []string{"a: 1", "a: [1, {b: 2}]", "7: 8\n9:\n  - x\n", "? a\n: b", "a: |\n  b\n", "a:\n  b: c\n d: e", "- a\n- - b", "a: {b: c, d}", "a: \"b\" c", "'a' b: c", "null: 1", "a: b: c"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := NewDocument([]byte(text), 1<<12, "x")
		if err != nil {
			return
		}
		if words, read := scalars(t, text, d.Root()); read < words && d.Root() != nil { // null alone says nothing
			t.Errorf("%d of %d words are read: %q", read, words, text)
		}
		var v any
		if err := d.Decode(&v); err != nil || d.Root() != nil && count(v) != d.Root().leaves() {
			t.Errorf("%v: %q is read as %v", err, text, v)
		}
	})
}
