package report

import (
	"strconv"
	"strings"

	"github.com/hearsay-dp/hearsay/internal/digits"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// number shortens x to the nearest number of so many significant digits.
func number(x float64, digits int) string {
	if math.IsNaN(x) {
		return "–"
	}
	if math.IsInf(x, 0) {
		return strings.TrimPrefix(strconv.FormatFloat(x, 'g', -1, 64)[:1], "+") + "∞"
	}
	return powers(strconv.FormatFloat(x, 'g', digits, 64))
}

// shownDigits is how many significant digits of a loss people are shown.
const shownDigits = 4

// Loss writes a privacy loss with four significant digits on the side where it stays true: rounded up, or down where status
// is Audit. It returns "no bound" for +Inf and "–" for NaN, a pair that was not priced.
func Loss(loss float64, status Status) string {
	switch {
	case math.IsNaN(loss):
		return "–"
	case math.IsInf(loss, 1):
		return "no bound"
	}
	return asDecimal(outward(loss, shownDigits, status), shownDigits)
}

// asDecimal writes a number of so many digits without an exponent where people do: from 0.0001 to a million.
func asDecimal(x float64, digits int) string {
	if x == 0 || x >= 1e-4 && x < 1e6 {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', digits, 64)
}

// Upwards writes x with so many significant digits, rounded up: a noise multiplier that was calibrated still meets its
// target when a reader types it back.
func Upwards(x float64, n int) string { return strconv.FormatFloat(digits.Up(x, n), 'g', n, 64) }

// bound writes a loss as pages do: Loss with powers of ten, and an infinity sign.
func bound(loss float64, status Status) string {
	if math.IsInf(loss, 1) {
		return "∞"
	}
	return powers(Loss(loss, status))
}

// powers writes an exponent as people do: 1.2e-05 becomes 1.2×10⁻⁵.
func powers(text string) string {
	mantissa, exponent, found := strings.Cut(text, "e")
	if !found {
		return text
	}
	value, _ := strconv.Atoi(exponent)
	raised := superscript.Replace(strconv.Itoa(value))
	if mantissa == "1" {
		return "10" + raised
	}
	return mantissa + "×10" + raised
}

var superscript = strings.NewReplacer("-", "⁻", "0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴",
	"5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹")

// count writes a whole number with thin spaces between thousands.
func count(n int) string {
	digits := strconv.Itoa(n)
	var b strings.Builder
	for i, d := range digits {
		if left := len(digits) - i; i > 0 && left%3 == 0 && digits[i-1] != '-' {
			b.WriteRune('\u202f')
		}
		b.WriteRune(d)
	}
	return b.String()
}
