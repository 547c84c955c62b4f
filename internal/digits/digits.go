// Package digits shortens numbers to a few significant decimal digits on the side where a bound stays true.
package digits

import (
	"strconv"
	"strings"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// Up returns the smallest number of so many significant decimal digits (1 to 15) that is not below x. Zero, infinities
// and NaN come back as they are.
func Up(x float64, digits int) float64 { return outward(x, digits, 1) }

// Down returns the largest number of so many significant decimal digits (1 to 15) that is not above x. Zero, infinities
// and NaN come back as they are.
func Down(x float64, digits int) float64 { return outward(x, digits, -1) }

// outward returns the nearest number of so many digits, or its neighbour on the side of step if that one is on the other.
func outward(x float64, digits, step int) float64 {
	if x == 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return x
	}
	text := strconv.FormatFloat(math.Abs(x), 'e', digits-1, 64)
	if x < 0 {
		step = -step
	}
	nearest := parse(text)
	if float64(step)*(nearest-math.Abs(x)) >= 0 {
		return math.Copysign(nearest, x)
	}
	mantissa, exponent, _ := strings.Cut(text, "e")
	units, _ := strconv.Atoi(strings.Replace(mantissa, ".", "", 1))
	power, _ := strconv.Atoi(exponent)
	if step < 0 && units == int(math.Pow10(digits-1)) { // a power of ten: its lower neighbour is closer
		units, power = 10*units, power-1
	}
	return math.Copysign(parse(strconv.Itoa(units+step)+"e"+strconv.Itoa(power-digits+1)), x)
}

// parse returns the number that a text stands for, infinite where it is out of range.
func parse(text string) float64 {
	x, _ := strconv.ParseFloat(text, 64)
	return x
}
