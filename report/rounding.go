package report

import (
	"math"
	"strconv"
	"strings"
)

// slack is the relative error that rounding to a side forgives, so that a loss
// calibrated to 1 up to the last bits does not read 1.01.
const slack = 1e-9

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

// bound shortens a privacy loss to three significant digits on the side where
// it stays true: up, or down when status is Audit.
func bound(eps float64, status Status) string {
	const digits = 3
	if eps == 0 || math.IsInf(eps, 0) || math.IsNaN(eps) {
		return number(eps, digits)
	}
	text := strconv.FormatFloat(eps, 'e', digits-1, 64)
	nearest, _ := strconv.ParseFloat(text, 64)
	exponent, _ := strconv.Atoi(text[strings.IndexByte(text, 'e')+1:])
	unit := math.Pow(10, float64(exponent-digits+1))
	switch {
	case status != Audit && nearest < eps*(1-slack):
		nearest += unit
	case status == Audit && nearest > eps*(1+slack):
		nearest -= unit
	}
	return number(nearest, digits)
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
