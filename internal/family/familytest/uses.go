// Package familytest holds what tests ask of every family.
package familytest

import (
	"reflect"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/spec"
)

// UsesAreWhole fails where a family says nothing about what some key does to some
// accountant, or something about a key that there is not.
func UsesAreWhole(t *testing.T, f family.Family) {
	t.Helper()
	blocks := []reflect.Type{reflect.TypeFor[spec.Algorithm](), reflect.TypeFor[spec.Privacy]()}
	if own := f.Keys(); own != nil {
		blocks = append(blocks, reflect.TypeOf(own).Elem())
	}
	keys, uses := map[string]bool{}, f.Uses()
	for _, block := range blocks {
		for i := range block.NumField() {
			if key, _, _ := strings.Cut(block.Field(i).Tag.Get("yaml"), ","); key != "" {
				keys[key] = true
			}
		}
	}
	for key := range keys {
		if len(uses.Rows[key]) != len(uses.Columns) {
			t.Errorf("%T does not say what %s does to each of %v", f, key, uses.Columns)
		}
	}
	for key := range uses.Rows {
		if !keys[key] {
			t.Errorf("%T: %s is no key of the spec", f, key)
		}
	}
}
