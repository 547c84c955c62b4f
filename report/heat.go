package report

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"

	"gonum.org/v1/plot/palette/moreland"
)

// shades is the number of colours of the colour map; one palette entry more is
// transparent.
const shades = 255

// colourMap runs from blue to pale yellow with luminance linear in the
// value, so equal steps look equal, also to the colour-blind.
func colourMap() []color.Color {
	through := []color.Color{
		color.NRGBA{R: 0x3a, G: 0x3f, B: 0x94, A: 0xff},
		color.NRGBA{R: 0x2f, G: 0x6c, B: 0xa6, A: 0xff},
		color.NRGBA{R: 0x3f, G: 0x95, B: 0x8c, A: 0xff},
		color.NRGBA{R: 0xa9, G: 0xbf, B: 0x5b, A: 0xff},
		color.NRGBA{R: 0xfd, G: 0xf0, B: 0x8a, A: 0xff},
	}
	m, err := moreland.NewLuminance(through)
	if err != nil {
		panic(err) // the colours above do not ascend in luminance
	}
	m.SetMin(0)
	m.SetMax(1)
	return m.Palette(shades).Colors()
}

// hexes writes colours as CSS does.
func hexes(colours []color.Color) []string {
	list := make([]string, len(colours))
	for i, c := range colours {
		n := color.NRGBAModel.Convert(c).(color.NRGBA)
		list[i] = fmt.Sprintf("#%02x%02x%02x", n.R, n.G, n.B)
	}
	return list
}

// shade is the colour index of a loss on the logarithmic scale [low, high].
func shade(eps, low, high float64) int {
	switch {
	case eps >= high:
		return shades - 1
	case eps <= low:
		return 0
	}
	return int(math.Log(eps/low) / math.Log(high/low) * (shades - 1))
}

// heatMap is the picture of pooled losses as a data URI: row u, column v,
// pairs of no node transparent.
func heatMap(cells []float64, side int, low, high float64, colours []color.Color) (string, error) {
	img := image.NewPaletted(image.Rect(0, 0, side, side), append(colours[:shades:shades], color.Transparent))
	for i, eps := range cells {
		img.Pix[i] = shades
		if eps >= 0 {
			img.Pix[i] = uint8(shade(eps, low, high))
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return "", err
	}
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(b.Bytes()), nil
}
