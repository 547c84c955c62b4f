package dossier

import (
	"encoding/json"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// A Number is a float64 with a JSON form for every value. NaN, for a value not known, is null.
// Infinity, for a loss without a bound, is the text "no bound". UnmarshalJSON decodes the output of
// MarshalJSON.
type Number float64

// Finite reports whether n is neither infinite nor NaN.
func (n Number) Finite() bool { return !math.IsNaN(float64(n)) && !math.IsInf(float64(n), 0) }

const unbounded = `"no bound"`

// MarshalJSON implements json.Marshaler.
func (n Number) MarshalJSON() ([]byte, error) {
	switch {
	case math.IsNaN(float64(n)):
		return []byte("null"), nil
	case !n.Finite():
		return []byte(unbounded), nil
	}
	return json.Marshal(float64(n))
}

// UnmarshalJSON implements json.Unmarshaler.
func (n *Number) UnmarshalJSON(text []byte) error {
	switch string(text) {
	case "null":
		*n = Number(math.NaN())
		return nil
	case unbounded:
		*n = Number(math.Inf(1))
		return nil
	}
	return json.Unmarshal(text, (*float64)(n))
}
