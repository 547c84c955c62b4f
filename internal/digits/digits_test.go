package digits_test

import (
	"math"
	"math/big"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/internal/digits"
	_ "github.com/hearsay-dp/hearsay/internal/draws"
)

// A number that is shortened stays on its side, has no more digits than were asked for, and no other such number is nearer.
func TestShortenedStaysOnItsSide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := math.Ldexp(rapid.Float64Range(-1, 1).Draw(t, "x"), rapid.IntRange(-1000, 1000).Draw(t, "exponent"))
		n := rapid.IntRange(1, 15).Draw(t, "digits")
		up, down := digits.Up(x, n), digits.Down(x, n)
		if !(up >= x && down <= x) {
			t.Fatalf("%v between %v and %v", x, down, up)
		}
		for _, shown := range []float64{up, down} {
			if text := strconv.FormatFloat(shown, 'g', n, 64); !math.IsInf(shown, 0) && read(text) != shown {
				t.Fatalf("%v has more than %d digits", shown, n)
			}
		}
		if up == down || math.IsInf(up, 0) || math.Abs(x) < 1e-290 {
			return
		}
		unit := new(big.Float).Sub(big.NewFloat(up), big.NewFloat(down))
		size, _ := unit.Quo(unit, big.NewFloat(math.Abs(x))).Float64()
		if size > 1.0001*math.Pow10(1-n) {
			t.Fatalf("%v is between %v and %v, %v of it apart", x, down, up, size)
		}
	})
	for _, x := range []float64{0, math.Inf(1), math.Inf(-1), math.MaxFloat64} {
		if up := digits.Up(x, 3); !(up >= x) || x == 0 && up != 0 {
			t.Errorf("%v goes up to %v", x, up)
		}
	}
	if !math.IsNaN(digits.Up(math.NaN(), 3)) {
		t.Error("what is no number becomes one")
	}
	if digits.Up(9.9991, 4) != 10 || digits.Down(1.00001, 4) != 1 || digits.Down(0.99999, 4) != 0.9999 || digits.Down(math.Nextafter(1, 0), 3) != 0.999 {
		t.Error("powers of ten are missed")
	}
}

func read(text string) float64 {
	x, _ := strconv.ParseFloat(text, 64)
	return x
}
