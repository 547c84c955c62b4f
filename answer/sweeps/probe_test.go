package sweeps

import (
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/sweep"
)

// A refusal of every cell is told once, before anything runs. A refusal of one value is said, and the other cells run.
func TestARefusalIsToldBeforeAnythingRuns(t *testing.T) {
	fields := []sweep.Field{{Key: "a", Values: []string{"1", "2", "3"}}, {Key: "b", Values: []string{"x", "y"}}}
	for name, c := range map[string]struct {
		refused    func(settings string) bool
		tries      int
		err, warns string
	}{
		"nothing":   {func(string) bool { return false }, 1, "", ""},
		"all":       {func(string) bool { return true }, 4, "all of the 4 cells that were tried first are refused: a table is missing", ""},
		"one value": {func(s string) bool { return strings.Contains(s, "b=x") }, 4, "", "with b=x cells are refused that are not with y: a table is missing (bring one)"},
	} {
		var said strings.Builder
		tries := 0
		err := probe(t.Context(), &said, fields, func(settings []string) error {
			if tries++; c.refused(strings.Join(settings, " ")) {
				return fault.New("a table is missing", "bring one")
			}
			return nil
		})
		if tries != c.tries || (err == nil) != (c.err == "") || err != nil && (err.Error() != c.err || fault.Hint(err) != "bring one") || strings.TrimSpace(said.String()) != c.warns {
			t.Errorf("%s: %d tries, %v, %q", name, tries, err, said.String())
		}
	}
}
