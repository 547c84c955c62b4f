package form

import (
	"fmt"
	"html/template"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/report"
)

// Digits writes a number with three significant digits. It writes a dash for NaN and ∞ for either infinity.
func Digits(x float64) string {
	switch {
	case math.IsNaN(x):
		return "–"
	case math.IsInf(x, 0):
		return "∞"
	}
	return fmt.Sprintf("%.3g", x)
}

// Enough writes a recommended noise multiplier with three digits. It rounds up, so that the written value still meets the bound.
func Enough(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return Digits(x)
	}
	return report.Upwards(x, 3)
}

// Shade returns the background of a share in [0, 1], from white to the colour of leaks.
func Shade(share float64) template.CSS {
	return template.CSS(fmt.Sprintf("background: rgba(196, 63, 47, %.2f)", 0.75*min(1, max(0, share))))
}
