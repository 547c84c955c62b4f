package spec

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/hearsay-dp/hearsay/internal/yamltext"
)

// MostTerms is the largest size of the terms of a federation in bytes.
const MostTerms = 128 << 10

// personal lists the keys that terms leave out, because they depend on who takes part.
var personal = []string{"participants", "signatures", "nodes", "trials"}

// Terms returns a spec without participants as text. Future participants agree on it
// before it is known who takes part. Settings count as in Parse. Paths of data, who has which rows, and all keys
// about participants are left out.
func (k Kinds) Terms(text []byte, name string, set ...string) ([]byte, error) {
	doc, err := yamltext.NewDocument(text, MostTerms, name)
	if err != nil {
		return nil, err
	}
	if err := k.set(doc, name, set); err != nil {
		return nil, err
	}
	terms, err := doc.Pairs()
	if err != nil {
		return nil, err
	}
	terms = slices.DeleteFunc(terms, func(item yamltext.Pair) bool {
		return slices.Contains(personal, fmt.Sprint(item.Key)) || item.Key == "graph" && item.Value == EdgesGraph
	})
	terms = without(terms, "data", "path")
	terms = without(terms, "data", "partition")
	terms = without(terms, "data", "train_rows")
	terms = without(terms, "data", "test_rows")
	if has(terms, "algorithm", "absent") { // who is away is drawn in simulations alone
		terms = without(terms, "algorithm", "dropout")
	}
	terms = without(terms, "federation", "signed")
	terms = without(terms, "federation", "invitation")
	out, err := yamltext.Marshal(terms)
	return append(bytes.TrimRight(out, "\n"), '\n'), err
}

// mapping returns terms as keys and values in their order.
func mapping(text []byte) (yamltext.Pairs, error) {
	doc, err := yamltext.NewDocument(text, MostTerms, "terms")
	if err != nil {
		return nil, err
	}
	return doc.Pairs()
}

// without takes a key below another away.
func without(terms yamltext.Pairs, key, below string) yamltext.Pairs {
	for i, item := range terms {
		if inner, is := item.Value.(yamltext.Pairs); is && item.Key == key {
			terms[i].Value = slices.DeleteFunc(inner, func(item yamltext.Pair) bool { return item.Key == below })
		}
	}
	return terms
}

// has reports whether terms have a key below another.
func has(terms yamltext.Pairs, key, below string) bool {
	return slices.ContainsFunc(terms, func(item yamltext.Pair) bool {
		inner, is := item.Value.(yamltext.Pairs)
		return is && item.Key == key && slices.ContainsFunc(inner, func(item yamltext.Pair) bool { return item.Key == below })
	})
}

// CheckTerms refuses terms that another wrote and that Terms does not: with keys that
// are not for terms, or texts that do more to a screen than stand on it.
func CheckTerms(text []byte) error {
	terms, err := mapping(text)
	if err != nil {
		return err
	}
	for _, item := range terms {
		inner, _ := item.Value.(yamltext.Pairs)
		for _, below := range inner {
			if item.Key == "data" && below.Key == "path" || item.Key == "federation" && (below.Key == "signed" || below.Key == "invitation") {
				return invalid(fmt.Sprintf("terms: %v.%v is nothing to agree on", item.Key, below.Key), "have whoever invites make them with hearsay federation new")
			}
		}
		if slices.Contains(personal, fmt.Sprint(item.Key)) {
			return invalid(fmt.Sprintf("terms: %v is nothing to agree on", item.Key), "have whoever invites make them with hearsay federation new")
		}
	}
	return printable(terms)
}

// mostLetters is the largest length of a name or a value of terms.
const mostLetters = 16 << 10

// printable refuses texts with characters that terminals act on, at any depth.
func printable(v any) error {
	switch v := v.(type) {
	case yamltext.Pairs:
		for _, item := range v {
			if err := errors.Join(printable(item.Key), printable(item.Value)); err != nil {
				return err
			}
		}
	case []any:
		for _, below := range v {
			if err := printable(below); err != nil {
				return err
			}
		}
	case string:
		if len(v) > mostLetters {
			return invalid(fmt.Sprintf("terms: a text of %d letters", len(v)), fmt.Sprintf("names and values have at most %d", mostLetters))
		}
		if strings.ContainsFunc(v, func(r rune) bool { return !unicode.IsPrint(r) }) {
			return invalid(fmt.Sprintf("terms: %.60q holds characters that do not print", v), "names and values are plain text")
		}
	}
	return nil
}

// An Assembly holds the parts that terms lack to be a spec.
type Assembly struct {
	Participants []Participant
	Invitation   string            // its id
	WeighRows    int               // 0: as the terms say
	Signatures   map[string]string // so far
}

// Assemble writes the spec of terms. Equal terms and assemblies give the same bytes.
func Assemble(terms []byte, a Assembly) ([]byte, error) {
	whole, err := mapping(terms)
	if err != nil {
		return nil, err
	}
	whole = with(whole, "federation", "signed", SignedRequired)
	whole = with(whole, "federation", "invitation", a.Invitation)
	if a.WeighRows > 0 {
		whole = with(whole, "algorithm", "weigh_rows", a.WeighRows)
	}
	whole = append(whole, yamltext.Pair{Key: "participants", Value: a.Participants})
	if len(a.Signatures) > 0 {
		whole = append(whole, yamltext.Pair{Key: "signatures", Value: a.Signatures})
	}
	text, err := yamltext.Marshal(whole)
	return append(bytes.TrimRight(text, "\n"), '\n'), err
}

// with puts a key below another, which is made where it is missing.
func with(terms yamltext.Pairs, key, below string, value any) yamltext.Pairs {
	added := yamltext.Pair{Key: below, Value: value}
	for i, item := range terms {
		if inner, is := item.Value.(yamltext.Pairs); item.Key == key && (is || item.Value == nil) {
			terms[i].Value = append(inner, added)
			return terms
		}
	}
	return append(terms, yamltext.Pair{Key: key, Value: yamltext.Pairs{added}})
}

// UnitOf returns the unit of privacy that terms protect, a participant unless they say otherwise.
func UnitOf(terms []byte) (string, error) {
	unit, err := value(terms, "privacy", "unit")
	if unit == "" {
		unit = UnitParticipant
	}
	return unit, err
}

// GraphOf returns the graph that a spec or terms name, or "".
func GraphOf(text []byte) (string, error) { return value(text, "graph") }

// Simulated reports whether a spec says nothing of a real run: it has neither participants nor settings of a federation.
func Simulated(text []byte) (bool, error) {
	terms, err := mapping(text)
	return !slices.ContainsFunc(terms, func(item yamltext.Pair) bool { return item.Key == "participants" || item.Key == "federation" }), err
}

// value returns the text of a key below others, or "".
func value(text []byte, path ...string) (string, error) {
	at, err := mapping(text)
	if err != nil {
		return "", err
	}
	for i, key := range path {
		k := slices.IndexFunc(at, func(item yamltext.Pair) bool { return item.Key == key })
		if k < 0 {
			return "", nil
		}
		if i == len(path)-1 {
			return fmt.Sprint(at[k].Value), nil
		}
		at, _ = at[k].Value.(yamltext.Pairs)
	}
	return "", nil
}
