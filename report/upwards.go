package report

import (
	"math"
	"strconv"
)

// Upwards writes x with so many significant digits, rounded up: a noise multiplier
// that was calibrated still meets its target when a reader types it back.
func Upwards(x float64, digits int) string {
	text := strconv.FormatFloat(x, 'g', digits, 64)
	for at, next := x, x; read(text) < x; text = strconv.FormatFloat(next, 'g', digits, 64) {
		at, next = next, next+math.Abs(at)*math.Pow(10, -float64(digits))/2
	}
	return text
}

// read is the number that a text stands for.
func read(text string) float64 {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return math.Inf(1)
	}
	return x
}
