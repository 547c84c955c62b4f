package spec

import (
	"fmt"
	"reflect"
	"strings"
)

// suggest names the known key nearest to an unknown one.
func suggest(unknown string) string {
	best, distance := "", len(unknown)/2+1
	for _, key := range keys(reflect.TypeFor[Spec](), nil) {
		if d := edits(unknown, key); d < distance {
			best, distance = key, d
		}
	}
	if best == "" {
		return "remove it, or see docs/SPEC.md for every key"
	}
	return fmt.Sprintf("did you mean %q? docs/SPEC.md lists every key", best)
}

// keys collects the YAML keys of a struct and of the structs in it.
func keys(t reflect.Type, into []string) []string {
	if t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return into
	}
	for i := range t.NumField() {
		field := t.Field(i)
		if field.Anonymous {
			into = keys(field.Type, into)
		} else if key, _, _ := strings.Cut(field.Tag.Get("yaml"), ","); key != "" {
			into = append(into, key)
			into = keys(field.Type, into)
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
