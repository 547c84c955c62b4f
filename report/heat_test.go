package report

import (
	"image/color"
	"math"
	"testing"

	"github.com/lucasb-eyer/go-colorful"
)

// The map is what it was when another library drew it, each channel to 1 of 255,
// and equal steps along it are equal steps of luminance, but for the rounding to
// whole channels.
func TestColourMapIsLinearInLuminance(t *testing.T) {
	colours := colourMap()
	of := func(c color.Color) colorful.Color {
		made, ok := colorful.MakeColor(c)
		if !ok {
			t.Fatalf("%v is transparent", c)
		}
		return made
	}
	least, most := luminance(of(colours[0])), luminance(of(colours[shades-1]))
	for i, c := range colours {
		if want := least + (most-least)*float64(i)/(shades-1); math.Abs(luminance(of(c))-want) > 0.005 {
			t.Errorf("colour %d has luminance %g, want %g", i, luminance(of(c)), want)
		}
	}
	for i, want := range []string{"#3a3f94", "#36599e", "#3472a2", "#3e8c92", "#68a17f", "#93b469", "#b6c762", "#d7da74", "#f7ed86"} {
		before, err := colorful.Hex(want)
		if err != nil {
			t.Fatal(err)
		}
		r, g, b := of(colours[31*i]).RGB255()
		p, q, s := before.RGB255()
		for _, d := range []int{int(r) - int(p), int(g) - int(q), int(b) - int(s)} {
			if d < -1 || d > 1 {
				t.Errorf("colour %d is #%02x%02x%02x, it was %s", 31*i, r, g, b, want)
			}
		}
	}
}
