package form

import (
	"fmt"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
)

// leastDelta is far below any delta that means something, and what searches over paths can reach.
const leastDelta = 1e-30

// OneOf reports a value that a flag does not know.
func OneOf(flag, value string, known ...string) error {
	for _, k := range known {
		if value == k {
			return nil
		}
	}
	return fault.New(fmt.Sprintf("%s: %q is not known", flag, value), "use "+strings.Join(known, ", "))
}

// CheckDelta reports a delta that is none.
func CheckDelta(delta float64) error {
	if !(delta >= leastDelta && delta < 1) {
		return fault.New(fmt.Sprintf("--delta %g is not between %g and 1", delta, leastDelta), "give a delta such as 1e-6, well below 1/nodes")
	}
	return nil
}
