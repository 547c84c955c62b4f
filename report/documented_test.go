package report

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// keysOf are the JSON keys of a type and of all below it.
func keysOf(t reflect.Type, seen map[reflect.Type]bool, keys map[string]bool) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		keysOf(t.Elem(), seen, keys)
	case reflect.Struct:
		if seen[t] {
			return
		}
		seen[t] = true
		for i := range t.NumField() {
			field := t.Field(i)
			if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" && name != "-" {
				keys[name] = true
			}
			keysOf(field.Type, seen, keys)
		}
	}
}

// Every key of every JSON file, every file and every column that is written is
// in docs/RESULTS.md.
func TestResultsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../docs/RESULTS.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]bool{}
	for _, quoted := range regexp.MustCompile("`([^`\n]+)`").FindAllStringSubmatch(string(text), -1) {
		documented[quoted[1]] = true
	}
	keys := map[string]bool{}
	for _, value := range []any{Result{}, ModelFile{}, pairsFile{}} {
		keysOf(reflect.TypeOf(value), map[reflect.Type]bool{}, keys)
	}
	for _, name := range fileNames {
		keys[name] = true
	}
	for _, column := range []string{"u_name", "v_name", "u", "v", "distance", "pairs", "node", "neighbours", "step", "consensus", "objective"} {
		keys[column] = true
	}
	for key := range keys {
		if !documented[key] {
			t.Errorf("docs/RESULTS.md does not mention `%s`", key)
		}
	}
}

// A loss without bound is null in JSON and inf in CSV, as docs/RESULTS.md says.
func TestInfinityIsAsDocumented(t *testing.T) {
	b := hypercubeBundle(3)
	unbounded(b)
	var json, csv strings.Builder
	if err := asJSON(b.Result)(&json); err != nil {
		t.Fatal(err)
	}
	s, err := newSurvey(t.Context(), b, usual)
	if err != nil {
		t.Fatal(err)
	}
	if err := writePairs(&csv, s); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(json.String(), `"max": null`) || strings.Contains(json.String(), `"inf`) || !strings.Contains(csv.String(), ",inf") {
		t.Errorf("%s\n%s", json.String(), csv.String())
	}
}
