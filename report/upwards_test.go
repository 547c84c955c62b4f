package report

import (
	"math"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

func TestUpwardsIsNeverBelowAndAtMostADigitAbove(t *testing.T) {
	for _, c := range []struct {
		x    float64
		want string
	}{{8, "8"}, {0.1, "0.1"}, {3.14159265, "3.1416"}, {1.00001, "1.0001"}, {9.99991, "10"}, {0, "0"}, {1e-6, "1e-06"}, {math.Inf(1), "+Inf"}} {
		if got := Upwards(c.x, 5); got != c.want {
			t.Errorf("%v is written %s, not %s", c.x, got, c.want)
		}
	}
	rapid.Check(t, func(r *rapid.T) {
		x := math.Exp(rapid.Float64Range(-20, 20).Draw(r, "ln x"))
		digits := rapid.IntRange(2, 8).Draw(r, "digits")
		if got, _ := strconv.ParseFloat(Upwards(x, digits), 64); got < x || got > x*(1+2*math.Pow(10, 1-float64(digits))) {
			r.Fatalf("%v with %d digits is %v", x, digits, got)
		}
	})
}
