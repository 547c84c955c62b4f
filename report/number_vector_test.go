package report

import (
	"encoding/json"
	"math"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/hearsay-dp/hearsay/internal/draws"
)

// A vector is written as its numbers are one by one, byte for byte.
func TestVectorIsWrittenAsItsNumbers(t *testing.T) {
	check := func(fail func(format string, args ...any), v Vector) {
		numbers := make([]Number, len(v))
		for i, x := range v {
			numbers[i] = Number(x)
		}
		got, err1 := json.Marshal(v)
		want, err2 := json.Marshal(numbers)
		if err1 != nil || err2 != nil || string(got) != string(want) {
			fail("%s, want %s (%v, %v)", got, want, err1, err2)
		}
	}
	check(t.Errorf, Vector{0, math.Copysign(0, -1), 1, -1, 1e-6, 9.99e-7, 1e-7, 1e-10, 1e-100, 1e20, 1e21, 1e22, -1e100, 5e-324,
		math.MaxFloat64, math.Inf(1), math.Inf(-1), math.NaN(), 1.0 / 3, 123456789})
	check(t.Errorf, Vector{})
	rapid.Check(t, func(t *rapid.T) {
		check(t.Fatalf, rapid.SliceOf(rapid.Map(rapid.Uint64(), math.Float64frombits)).Draw(t, "vector"))
	})
}
