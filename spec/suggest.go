package spec

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
)

// suggest names the known key nearest to an unknown one.
func (k Kinds) suggest(unknown string) string {
	if unknown == "start" { // most likely of a model
		return "leave it out; a run begins with an earlier model by model.earlier: {file: model.json} (docs/SPEC.md)"
	}
	if paths := k.pathsOf(unknown); len(paths) > 0 {
		return fmt.Sprintf("its place is %s; docs/SPEC.md lists every key", strings.Join(paths, " or "))
	}
	meant := fault.DidYouMean(unknown, keys(reflect.TypeFor[Spec](), k, nil))
	if meant == "" {
		return "remove it, or see docs/SPEC.md for every key"
	}
	return meant + " docs/SPEC.md lists every key"
}

// pathsOf returns at most three places of a key below the top level, in the form that --set takes.
func (k Kinds) pathsOf(key string) (paths []string) {
	for _, path := range pathsBelow(reflect.TypeFor[Spec](), k, "") {
		if before, found := strings.CutSuffix(path, "."+key); found && before != "" && len(paths) < 3 && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// pathsBelow returns every key below a type, prefixed with the keys above it.
func pathsBelow(t reflect.Type, kinds Kinds, above string) (paths []string) {
	if t != nil && (t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice) {
		t = t.Elem()
	}
	if t == nil || t.Kind() != reflect.Struct {
		return nil
	}
	for field := range fieldsOf(t) {
		key := yamlKey(field)
		switch {
		case key != "":
			path := strings.TrimPrefix(above+"."+key, ".")
			paths = append(append(paths, path), pathsBelow(field.Type, kinds, path)...)
		case field.Type.Kind() == reflect.Interface: // the keys that only a kind has
			for _, kind := range kinds {
				paths = append(paths, pathsBelow(reflect.TypeOf(kind.Family.Keys()), nil, above)...)
			}
		}
	}
	return paths
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
		case field.Type.Kind() == reflect.Interface: // the keys that only a kind has
			for _, kind := range kinds {
				into = keys(reflect.TypeOf(kind.Family.Keys()), nil, into)
			}
		}
	}
	return into
}
