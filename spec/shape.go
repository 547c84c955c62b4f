package spec

import (
	"fmt"
	"strconv"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// whole refuses a number that is not one.
func whole(key string, value any) error {
	x, err := strconv.ParseFloat(fmt.Sprint(value), 64)
	if err != nil || x == math.Trunc(x) {
		return nil
	}
	return invalid(fmt.Sprintf("%s: %v is not a whole number", key, value), fmt.Sprintf("give %.0f or %.0f", math.Floor(x), math.Ceil(x)))
}
