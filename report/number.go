package report

import (
	"encoding/json"
	"strconv"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// A Number is a float64 that JSON can always carry. A value that is not finite
// (no noise, hence no bound; a run that diverged) is written as null. Null is
// read as +Inf, so that a lost value never looks like a small loss.
type Number float64

// Finite reports whether n is neither infinite nor NaN.
func (n Number) Finite() bool { return !math.IsNaN(float64(n)) && !math.IsInf(float64(n), 0) }

// MarshalJSON implements json.Marshaler.
func (n Number) MarshalJSON() ([]byte, error) {
	if !n.Finite() {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// UnmarshalJSON implements json.Unmarshaler.
func (n *Number) UnmarshalJSON(text []byte) error {
	*n = Number(math.Inf(1))
	if string(text) == "null" {
		return nil
	}
	return json.Unmarshal(text, (*float64)(n))
}

// A List is a slice that is an array in JSON even if it is nil.
type List[T any] []T

// MarshalJSON implements json.Marshaler.
func (l List[T]) MarshalJSON() ([]byte, error) {
	if l == nil {
		return []byte("[]"), nil
	}
	return json.Marshal([]T(l))
}

// A Vector is a []float64 whose entries JSON can always carry (see Number).
type Vector []float64

// MarshalJSON implements json.Marshaler.
func (v Vector) MarshalJSON() ([]byte, error) {
	text := append(make([]byte, 0, 20*len(v)+2), '[')
	for i, x := range v {
		if i > 0 {
			text = append(text, ',')
		}
		text = appendNumber(text, x)
	}
	return append(text, ']'), nil
}

// appendNumber appends the JSON of Number(x), because json.Marshal for each
// entry is too slow for a matrix of millions.
func appendNumber(text []byte, x float64) []byte {
	if !Number(x).Finite() {
		return append(text, "null"...)
	}
	if size := math.Abs(x); size == 0 || size >= 1e-6 && size < 1e21 {
		return strconv.AppendFloat(text, x, 'f', -1, 64)
	}
	text = strconv.AppendFloat(text, x, 'e', -1, 64)
	if n := len(text); text[n-4] == 'e' && text[n-2] == '0' { // e-09 is e-9
		text[n-2] = text[n-1]
		text = text[:n-1]
	}
	return text
}

// UnmarshalJSON implements json.Unmarshaler.
func (v *Vector) UnmarshalJSON(text []byte) error {
	var numbers []Number
	if err := json.Unmarshal(text, &numbers); err != nil {
		return err
	}
	*v = make(Vector, len(numbers))
	for i, x := range numbers {
		(*v)[i] = float64(x)
	}
	return nil
}

// unknown is the spread of a number that does not exist.
var unknown = Spread{Mean: nan, Std: nan, Min: nan, Max: nan}

var nan = Number(math.NaN())
