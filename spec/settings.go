package spec

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/yamltext"
)

// A setting is one value that replaces the file's: a path of keys, and YAML.
type setting struct {
	path        []string
	value, name string
}

// says reports whether a value is given, rather than the default asked for.
func (s setting) says() bool {
	value := strings.TrimSpace(s.value)
	return value != "" && value != "~" && value != "null"
}

// set puts key=value settings over a file, which errors call by its name, in their order. Keys that exclude one
// that is set go: setting privacy.sigma takes calibrate away.
func (k Kinds) set(doc *yamltext.Document, file string, given []string) error {
	for _, text := range given {
		s, err := readSetting(text)
		if err != nil {
			return inFile(err, file)
		}
		var gone [][]string
		if s.says() {
			gone = k.rivals(s.path)
		}
		for _, rival := range gone {
			if err := doc.Set(rival, "", s.name); err != nil {
				return err
			}
		}
		if err := doc.Set(s.path, s.value, s.name); err != nil {
			return err
		}
	}
	return nil
}

// readSetting takes key=value apart. A key with dots in it stands in double
// quotes: data.ranges."blood.pressure"=[0, 200].
func readSetting(text string) (setting, error) {
	s := setting{name: "--set " + text}
	rest := text
	for {
		key, after, err := cutKey(rest)
		if err != nil {
			return s, invalid(fmt.Sprintf("%s: %s", s.name, err), fault.Hint(err))
		}
		s.path = append(s.path, key)
		if value, found := strings.CutPrefix(after, "="); found {
			s.value = value
			return s, nil
		}
		rest = strings.TrimPrefix(after, ".")
	}
}

// cutKey splits a path after its first key. after begins with the dot or the
// equals sign.
func cutKey(text string) (key, after string, err error) {
	const hint = "give key=value, such as privacy.sigma=3; a key with dots in it in double quotes"
	text = strings.TrimSpace(text)
	if quoted, found := strings.CutPrefix(text, `"`); found {
		key, after, found = strings.Cut(quoted, `"`)
		if after = strings.TrimSpace(after); !found || !strings.HasPrefix(after, ".") && !strings.HasPrefix(after, "=") {
			return "", "", invalid("a quoted key does not end in a quote and a dot or an equals sign", hint)
		}
		return key, after, nil
	}
	end := strings.IndexAny(text, ".=")
	if end < 0 {
		return "", "", invalid("there is no equals sign in it", hint)
	}
	if key = strings.TrimSpace(text[:end]); key == "" {
		return "", "", invalid("a key is empty", hint)
	}
	return key, text[end:], nil
}

// rivals returns the paths that a path excludes: keys of the same mapping that share
// an "either" tag with a key on the path.
func (k Kinds) rivals(path []string) (all [][]string) {
	at := []reflect.Type{reflect.TypeFor[Spec]()}
	for depth, key := range path {
		var below []reflect.Type
		for _, t := range at {
			field, found := fieldCalled(t, key)
			if !found {
				continue
			}
			below = append(below, k.typesBelow(field)...)
			group := field.Tag.Get("either")
			for other := range fieldsOf(t) {
				if group != "" && other.Name != field.Name && other.Tag.Get("either") == group {
					rival := append(append([]string{}, path[:depth]...), yamlKey(other))
					all = append(all, rival)
				}
			}
		}
		at = below
	}
	return all
}

// typesBelow returns the structs whose keys stand below a field, including those that only
// some kinds have.
func (k Kinds) typesBelow(field reflect.StructField) (types []reflect.Type) {
	t := field.Type
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	types = append(types, t)
	if t == reflect.TypeFor[Algorithm]() {
		for _, kind := range k {
			if keys := kind.Family.Keys(); keys != nil {
				types = append(types, reflect.TypeOf(keys).Elem())
			}
		}
	}
	return types
}

func fieldCalled(t reflect.Type, key string) (reflect.StructField, bool) {
	for field := range fieldsOf(t) {
		if yamlKey(field) == key {
			return field, true
		}
	}
	return reflect.StructField{}, false
}

// yamlKey returns the name that a field has in a spec. It returns "" if it has none.
func yamlKey(field reflect.StructField) string {
	key, _, _ := strings.Cut(field.Tag.Get("yaml"), ",")
	return key
}
