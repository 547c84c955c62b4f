package family

import (
	"math"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/hearsay-dp/hearsay/internal/draws"
)

// Numbers are never rounded to what is not true.
func TestRoundUpRoundsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := math.Exp(rapid.Float64Range(-50, 50).Draw(t, "ln x"))
		y, err := strconv.ParseFloat(roundUp(x), 64)
		if err != nil || !(y >= x && y <= x*1.00101) {
			t.Fatalf("%g becomes %s", x, roundUp(x))
		}
		eps, delta := rapid.Float64Range(0, 30).Draw(t, "eps"), math.Exp(rapid.Float64Range(-40, -0.7).Draw(t, "ln delta"))
		odds := rapid.SampledFrom([]float64{1, 1.0 / 99}).Draw(t, "odds")
		share, err := strconv.ParseFloat(percentUp(eps, odds), 64)
		if exact := 100 * odds * math.Exp(eps) / (1 + odds*math.Exp(eps)); err != nil || !(share >= exact-1e-9 && share <= exact+0.1001) {
			t.Fatalf("odds %g at epsilon %g make %s %%, not %g", odds, eps, percentUp(eps, odds), exact)
		}
		if n, err := strconv.ParseFloat(oneIn(delta), 64); err != nil || 1/n < delta*(1-1e-9) {
			t.Fatalf("a chance of %g is called one in %s", delta, oneIn(delta))
		}
	})
	for x, want := range map[float64]string{0: "0", 1: "1", 0.30001: "0.3001", 12.3: "12.3", math.Inf(1): "no bound"} {
		if got := roundUp(x); got != want {
			t.Errorf("%g becomes %s, not %s", x, got, want)
		}
	}
}
