package gradientinversion

import (
	"math"

	"github.com/hearsay-dp/hearsay/model"
)

// A Success is the distance of a result from the nearest of a node's examples.
type Success struct {
	Row     int     // index of the nearest example; -1: nothing was found
	Error   float64 // distance over the length of the example (squared it is the relative square distance of 002, Figure 4.6); +Inf: nothing was found
	PSNR    float64 // peak signal-to-noise ratio, in decibels: 10 log10(span^2/mean squared difference)
	Labeled bool    // the label is the example's
}

// Recognised is the PSNR above which 002 counts an image as reconstructed.
const Recognised = 10

// Precise is the largest relative error of an example that is known to the digit.
const Precise = 1e-6

// Compare returns the distance to the nearest of a node's examples. span is the range of numbers, as Span
// returns it.
func Compare(found *Point, ex model.Examples, span float64) Success {
	best := Success{Row: -1, Error: math.Inf(1), PSNR: math.Inf(-1)}
	if found == nil {
		return best
	}
	for i := range ex.Len() {
		x, y := ex.Row(i)
		square := 0.0
		for j := range x {
			square += float64((found.X[j] - x[j]) * (found.X[j] - x[j]))
		}
		size := model.RowNorm(x, false)
		if off := math.Sqrt(square) / size; off < best.Error {
			best = Success{Row: i, Error: off, PSNR: 10 * math.Log10(span*span*float64(len(x))/square), Labeled: found.Label == y}
		}
	}
	return best
}

// Guess returns the guess of an attacker without messages: the mean of some examples and their commonest label.
// That is generous, because such an attacker knows neither. An attack that comes no nearer than Guess has found
// nothing.
func Guess(ex model.Examples) *Point {
	g := &Point{X: make([]float64, ex.Features)}
	count := map[float64]int{}
	for i := range ex.Len() {
		x, y := ex.Row(i)
		for j, v := range x {
			g.X[j] += v / float64(ex.Len())
		}
		if count[y]++; count[y] > count[g.Label] || count[y] == count[g.Label] && y < g.Label {
			g.Label = y
		}
	}
	return g
}

// Span returns the largest number of examples minus the least.
func Span(ex model.Examples) float64 {
	low, high := math.Inf(1), math.Inf(-1)
	for _, x := range ex.X {
		low, high = min(low, x), max(high, x)
	}
	return high - low
}
