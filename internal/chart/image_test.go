package chart

import (
	"bytes"
	"encoding/base64"
	"image/color"
	"image/png"
	"math"
	"strings"
	"testing"
)

// A picture in a chart decodes to its pixels, in colours and in grey, and numbers that are not in the range are its ends.
func TestPicturesHoldTheirPixels(t *testing.T) {
	for _, c := range []struct {
		x     []float64
		shape [3]int
		want  []color.NRGBA
	}{
		{[]float64{0, 0.5, 1, 2, -1, math.NaN()}, [3]int{1, 2, 3}, []color.NRGBA{{0, 0, 0, 255}, {128, 128, 128, 255}, {255, 255, 255, 255}, {255, 255, 255, 255}, {0, 0, 0, 255}, {0, 0, 0, 255}}},
		{[]float64{1, 0, 0, 1, 0, 0}, [3]int{3, 1, 2}, []color.NRGBA{{255, 0, 0, 255}, {0, 255, 0, 255}}},
	} {
		img := &Chart{Width: 200, Height: 200}
		img.Image(Point{1, 2}, 28, DataURI(Pixels(c.x, c.shape, 0, 1)), Stroke{Color: "red", Width: 2})
		body := img.Body()
		_, text, _ := strings.Cut(body, `href="data:image/png;base64,`)
		text, _, _ = strings.Cut(text, `"`)
		raw, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := png.Decode(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range c.want {
			if at := color.NRGBAModel.Convert(got.At(i%c.shape[2], i/c.shape[2])); at != want {
				t.Errorf("pixel %d of %v: %v, want %v", i, c.x, at, want)
			}
		}
		if !strings.Contains(body, "fill:none;stroke:red;stroke-width:2") {
			t.Errorf("no frame in %s", body)
		}
	}
	// A reference that is no picture's cannot leave its attribute.
	c := &Chart{Width: 200, Height: 200}
	if c.Image(Point{}, 28, `"><script>`, Stroke{}); strings.Contains(c.Body(), "<script>") {
		t.Error("a reference is not escaped")
	}
}
