package spec

import (
	"fmt"
	"reflect"
)

// suggest names the known key nearest to an unknown one, of several the one that is as
// long: letters are mistaken more often than left out.
func (k Kinds) suggest(unknown string) string {
	best, distance := "", len(unknown)/2+1
	for _, key := range keys(reflect.TypeFor[Spec](), k, nil) {
		d := edits(unknown, key)
		if d < distance || d == distance && len(key) == len(unknown) && len(best) != len(unknown) && best != "" {
			best, distance = key, d
		}
	}
	if best == "" {
		return "remove it, or see docs/SPEC.md for every key"
	}
	return fmt.Sprintf("did you mean %q? docs/SPEC.md lists every key", best)
}

// keys collects the YAML keys of a struct and of the structs in it, and those that
// only some kinds have.
func keys(t reflect.Type, kinds Kinds, into []string) []string {
	if t != nil && (t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice) {
		t = t.Elem()
	}
	if t == nil || t.Kind() != reflect.Struct {
		return into
	}
	for field := range fieldsOf(t) {
		key := yamlKey(field)
		switch {
		case key != "":
			into = keys(field.Type, kinds, append(into, key))
		case field.IsExported():
			for _, kind := range kinds {
				into = keys(reflect.TypeOf(kind.Family.Keys()), nil, into)
			}
		}
	}
	return into
}

// edits is the Levenshtein distance.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
