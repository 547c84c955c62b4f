// Package familytest provides tests that every family must pass.
package familytest

import (
	"reflect"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/spec"
)

// UsesAreWhole fails if a family does not say how some accountant uses some key, or if it lists a key that the spec does not
// have.
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
