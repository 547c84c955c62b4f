package spec

import (
	"fmt"
	"reflect"
	"strconv"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/yamltext"
)

// checkWhole refuses a fraction where a whole number belongs, which the YAML
// decoder would round down without a word, and what is only known to be wrong while it
// can be told from a default.
func (s *Spec) checkWhole(doc *yamltext.Document) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = invalid(fmt.Sprintf("it is not readable as YAML: %v", p), "leave out tags and anchors")
		}
	}()
	var plain map[string]any
	if doc.Decode(&plain) != nil {
		return nil // the decoder of the spec has had its say about it
	}
	if err := s.checkFillGiven(plain); err != nil {
		return err
	}
	if err := wholeIn(reflect.TypeFor[Spec](), plain, ""); err != nil || s.Algorithm.Own == nil {
		return err
	}
	below, _ := plain["algorithm"].(map[string]any)
	return wholeIn(reflect.TypeOf(s.Algorithm.Own).Elem(), below, "algorithm.")
}

// wholeIn looks at the keys of a struct and of the structs in it.
func wholeIn(t reflect.Type, plain map[string]any, prefix string) error {
	for field := range fieldsOf(t) {
		key := yamlKey(field)
		value, given := plain[key]
		if !given {
			continue
		}
		if below, ok := value.(map[string]any); ok && field.Type.Kind() == reflect.Struct {
			if err := wholeIn(field.Type, below, prefix+key+"."); err != nil {
				return err
			}
		}
		if kind := field.Type.Kind(); kind == reflect.Int || kind == reflect.Uint64 {
			if err := whole(prefix+key, value); err != nil {
				return err
			}
		}
	}
	return nil
}

// whole refuses a number that is not one.
func whole(key string, value any) error {
	x, err := strconv.ParseFloat(fmt.Sprint(value), 64)
	if err != nil || x == math.Trunc(x) {
		return nil
	}
	return invalid(fmt.Sprintf("%s: %v is not a whole number", key, value), fmt.Sprintf("give %.0f or %.0f", math.Floor(x), math.Ceil(x)))
}
