package spec

import (
	"reflect"

	"github.com/hearsay-dp/hearsay/internal/yamltext"
)

// An OwnKey is a key of algorithm that only the kinds of one family have. A key inside a mapping is written with a dot.
type OwnKey struct {
	Name    string
	Default any // in a spec that gives none of them, as YAML has it; nil: nothing
}

// An OwnFile holds the keys of a kind of which one can name a file.
type OwnFile interface {
	// File returns the file as the spec names it, "" where the key names none.
	File() string
	// WithFile returns a copy of the keys that names another file.
	WithFile(name string) any
}

// GoesOn holds the keys of a kind whose nodes may go on without one that is silent for federation.patience.
type GoesOn interface {
	// GoesOn reports whether they do.
	GoesOn() bool
}

// GoesOn reports whether nodes of a federation go on without one that has left for good.
func (s *Spec) GoesOn() bool {
	own, ok := s.Algorithm.Own.(GoesOn)
	return s.FollowsFailures() || ok && own.GoesOn()
}

// OwnKeys lists the own keys of a kind, in the order in which a resolved spec has them.
func (k Kinds) OwnKeys(kind string) ([]OwnKey, error) {
	s := defaults(k)
	s.Algorithm.Kind = kind
	s.takeKeys()
	// Check fills in defaults. Its error is ignored, because keys without a default are missing here.
	_ = s.Kind().Family.Check(s)
	if s.Algorithm.Own == nil {
		return nil, nil
	}
	return ownBelow(reflect.ValueOf(s.Algorithm.Own).Elem(), "")
}

// ownBelow lists the keys of a struct, and of the structs in it in place of theirs.
func ownBelow(of reflect.Value, above string) (all []OwnKey, err error) {
	for field := range fieldsOf(of.Type()) {
		name, value := above+yamlKey(field), of.FieldByIndex(field.Index)
		if len(keys(field.Type, nil, nil)) > 0 && value.Kind() == reflect.Struct {
			below, err := ownBelow(value, name+".")
			if err != nil {
				return nil, err
			}
			all = append(all, below...)
			continue
		}
		plain, err := plainly(value.Interface())
		if err != nil {
			return nil, err
		}
		all = append(all, OwnKey{name, plain})
	}
	return all, nil
}

// plainly returns a value as maps and numbers.
func plainly(value any) (any, error) {
	text, err := yamltext.Marshal(map[string]any{"value": value})
	if err != nil {
		return nil, err
	}
	doc, err := yamltext.NewDocument(text, len(text), "a default")
	if err != nil {
		return nil, err
	}
	var plain map[string]any
	if err := doc.Decode(&plain); err != nil {
		return nil, err
	}
	return plain["value"], nil
}
