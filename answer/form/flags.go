package form

import (
	"fmt"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
)

// leastDelta is the smallest delta that is accepted. It is far below any delta of practical use, and searches over paths can
// still reach it.
const leastDelta = 1e-30

// OneOf returns an error if value is not one of known.
func OneOf(flag, value string, known ...string) error {
	for _, k := range known {
		if value == k {
			return nil
		}
	}
	return fault.New(fmt.Sprintf("%s: %q is not known", flag, value), "use "+strings.Join(known, ", "))
}

// CheckDelta returns an error if delta is not in [leastDelta, 1).
func CheckDelta(delta float64) error {
	if !(delta >= leastDelta && delta < 1) {
		return fault.New(fmt.Sprintf("--delta %g is not between %g and 1", delta, leastDelta), "give a delta such as 1e-6, well below 1/nodes")
	}
	return nil
}
