package report

import (
	"strconv"
	"strings"

	"github.com/hearsay-dp/hearsay/internal/digits"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// number formats x with digits significant digits, rounded to nearest.
func number(x float64, digits int) string {
	if math.IsNaN(x) {
		return "–"
	}
	if math.IsInf(x, 0) {
		return strings.TrimPrefix(strconv.FormatFloat(x, 'g', -1, 64)[:1], "+") + "∞"
	}
	return powers(strconv.FormatFloat(x, 'g', digits, 64))
}

// shownDigits is the number of significant digits of a displayed loss.
const shownDigits = 4

// Loss formats a privacy loss with four significant digits, rounded up, or down if status is Audit, so that it stays
// true. It returns "no bound" for +Inf and "–" for NaN, an unpriced pair.
func Loss(loss float64, status Status) string {
	switch {
	case math.IsNaN(loss):
		return "–"
	case math.IsInf(loss, 1):
		return "no bound"
	}
	return asDecimal(outward(loss, shownDigits, status), shownDigits)
}

// asDecimal formats a number without an exponent from 0.0001 to a million, and with one beyond.
func asDecimal(x float64, digits int) string {
	if x == 0 || x >= 1e-4 && x < 1e6 {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', digits, 64)
}

// Upwards formats x with n significant digits, rounded up. A calibrated noise multiplier still meets its target when a
// reader types it in.
func Upwards(x float64, n int) string { return strconv.FormatFloat(digits.Up(x, n), 'g', n, 64) }

// bound formats a loss as pages do: Loss with powers of ten, and an infinity sign.
func bound(loss float64, status Status) string {
	if math.IsInf(loss, 1) {
		return "∞"
	}
	return powers(Loss(loss, status))
}

// powers formats an exponent as a power of ten: 1.2e-05 becomes 1.2×10⁻⁵.
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

// count formats an integer with thin spaces between thousands.
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
