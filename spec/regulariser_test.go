package spec_test

import (
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
)

// What no algorithm could have is refused where it stands, with a hint; a kind that takes
// steps along gradients says so.
func TestRegularisersThatAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"{kind: lasso}":                     `model.regulariser.kind: "lasso" is not known`,
		"{kind: l1, weight: 0.1, low: 0}":   "model.regulariser.low: l1 has none",
		"{kind: box, weight: 1}":            "model.regulariser.weight: box has none",
		"{kind: l2, weight: 1, total: 3}":   "model.regulariser.total: l2 has none",
		"{kind: l1, weight: 0.1}":           "walk takes steps along gradients only",
		"{kind: simplex}":                   "walk takes steps along gradients only",
		"{kind: l1, weight: 0.1, width: 2}": `unknown field "width"`,
	} {
		_, err := experiment.Parse([]byte(small+"model: {regulariser: "+text+"}\n"), "small.yaml")
		if err == nil || !strings.Contains(err.Error(), want) || fault.Hint(err) == "" {
			t.Errorf("%s: %v", text, err)
		}
	}
	s, err := experiment.Parse([]byte(small+"model: {regulariser: {kind: none}}\n"), "small.yaml")
	if err != nil || s.Model.Regulariser != nil {
		t.Errorf("none: %+v, %v", s, err)
	}
}
