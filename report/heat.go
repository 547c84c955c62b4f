package report

import (
	"fmt"
	"image"
	"image/color"

	"github.com/lucasb-eyer/go-colorful"

	"github.com/hearsay-dp/hearsay/internal/chart"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// shades is the number of colours of the colour map. The palette has two more
// entries: one for unpriced pairs and a transparent one.
const shades = 254

// unpricedColour is the colour of unpriced pairs, as in page.css. No colour of the
// map is grey.
var unpricedColour = color.NRGBA{R: 0xb4, G: 0xb7, B: 0xbc, A: 0xff}

// colourMap returns colours from blue to pale yellow with luminance linear in the
// value, so that equal steps look equal, also to colour-blind readers. Between two
// of its anchor colours it is a straight line in CIE 1976 L*a*b*.
func colourMap() []color.Color {
	var through []colorful.Color
	for _, hex := range []uint32{0x3a3f94, 0x2f6ca6, 0x3f958c, 0xa9bf5b, 0xfdf08a} { // of ascending luminance
		through = append(through, colorful.Color{R: float64(hex>>16) / 255, G: float64(hex>>8&0xff) / 255, B: float64(hex&0xff) / 255})
	}
	least, most := luminance(through[0]), luminance(through[len(through)-1])
	colours := make([]color.Color, shades)
	for i, k := 0, 0; i < shades; i++ {
		at := least + (most-least)*float64(i)/(shades-1)
		for k+2 < len(through) && at > luminance(through[k+1]) {
			k++
		}
		from, to := luminance(through[k]), luminance(through[k+1])
		r, g, b := through[k].BlendLab(through[k+1], (at-from)/(to-from)).Clamped().RGB255()
		colours[i] = color.NRGBA{R: r, G: g, B: b, A: 0xff}
	}
	return colours
}

// luminance returns L* of a colour.
func luminance(c colorful.Color) float64 {
	l, _, _ := c.Lab()
	return l
}

// hexes formats colours as CSS does.
func hexes(colours []color.Color) []string {
	list := make([]string, len(colours))
	for i, c := range colours {
		n := color.NRGBAModel.Convert(c).(color.NRGBA)
		list[i] = fmt.Sprintf("#%02x%02x%02x", n.R, n.G, n.B)
	}
	return list
}

// shade returns the colour index of a loss on the logarithmic scale [low, high].
func shade(eps, low, high float64) int {
	switch {
	case eps >= high:
		return shades - 1
	case eps <= low:
		return 0
	}
	return int(math.Log(eps/low) / math.Log(high/low) * (shades - 1))
}

// heatMap returns the picture of pooled losses as a data URI: row u, column v. Cells
// without a pair are transparent.
func heatMap(cells []float64, side int, low, high float64, colours []color.Color) string {
	img := image.NewPaletted(image.Rect(0, 0, side, side), append(colours[:shades:shades], unpricedColour, color.Transparent))
	for i, eps := range cells {
		switch {
		case eps >= 0:
			img.Pix[i] = uint8(shade(eps, low, high))
		case eps == unpriced:
			img.Pix[i] = shades
		default:
			img.Pix[i] = shades + 1
		}
	}
	return chart.DataURI(img)
}
