package chart

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html"
	"image"
	"image/color"
	"image/png"
	"strings"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// Image draws a picture, given as a data URI, with its centre at a point and in a frame. side is in pixels.
func (c *Chart) Image(at Point, side float64, uri string, frame Stroke) {
	c.cover(at)
	c.marks = append(c.marks, func(b *strings.Builder, place func(Point) Point) {
		q := place(at)
		box := fmt.Sprintf(`x="%s" y="%s" width="%s" height="%[3]s"`, short(q.X-float64(side/2)), short(q.Y-float64(side/2)), short(side))
		fmt.Fprintf(b, `<image %s href="%s" style="image-rendering:pixelated"/><rect %s style="fill:none;%s"/>`, box, html.EscapeString(uri), box, frame.css())
	})
}

// DataURI returns a picture as a data URI.
func DataURI(img image.Image) string {
	var b bytes.Buffer
	if png.Encode(&b, img) != nil { // an encoder to memory fails on sizes only that no picture here has
		return ""
	}
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(b.Bytes())
}

// Pixels returns x as a picture of shape planes (1 for grey or 3 for colours), height and width. low is black and high white.
func Pixels(x []float64, shape [3]int, low, high float64) image.Image {
	height, width := shape[1], shape[2]
	img, pixels := image.NewNRGBA(image.Rect(0, 0, width, height)), height*width
	level := func(v float64) uint8 {
		if math.IsNaN(v) || high <= low {
			return 0
		}
		return uint8(math.Round(255 * min(1, max(0, (v-low)/(high-low)))))
	}
	for i := range pixels {
		c := color.NRGBA{A: 255}
		c.R = level(x[i])
		c.G, c.B = c.R, c.R
		if shape[0] == 3 {
			c.G, c.B = level(x[pixels+i]), level(x[2*pixels+i])
		}
		img.SetNRGBA(i%width, i/width, c)
	}
	return img
}
