package sweep

import (
	"slices"
	"testing"

	"github.com/hearsay-dp/hearsay/report"
)

// What differs between specs is a field, what all have alike or what is only a name is not.
func TestCompareShowsWhatDiffers(t *testing.T) {
	a, b := scored(0.9, 1), scored(0.8, 2)
	a.Spec = map[string]any{"name": "a", "seed": 1.0, "privacy": map[string]any{"sigma": 2.0, "sender": "hidden"}, "list": []any{1.0}}
	b.Spec = map[string]any{"name": "b", "seed": 1.0, "privacy": map[string]any{"sigma": 4.0, "sender": "hidden"}, "list": []any{2.0}, "graph": "ring:4"}
	fields, rows, err := Compare([]string{"one", "two"}, []*report.Result{a, b})
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, f := range fields {
		keys = append(keys, f.Key)
	}
	if !slices.Equal(keys, []string{"run", "graph", "list", "privacy.sigma"}) || !slices.Equal(rows[1].Values, []string{"two", "ring:4", "[2]", "4"}) {
		t.Errorf("%q, %q", keys, rows[1].Values)
	}
	if !rows[0].Best || rows[1].Best {
		t.Error("the first run beats the second")
	}
}
