package reconstruction

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"image"
	"image/color"
	"image/png"
	"io"
	"slices"

	"github.com/hearsay-dp/hearsay/answer/exposure"
	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/report"
)

//go:embed page.html
var attackPage string

// writeAttackPage writes the page of an answer as one file.
func writeAttackPage(w io.Writer, a *Answer) error {
	shape := shapeOf(a)
	t, err := template.New("page").Funcs(template.FuncMap{
		"name": a.node, "names": a.list, "summary": func(k Attack) string { return a.summary(&k) },
		"how": func(n Target) string { return n.how() }, "digits": func(x report.Number) string { return form.Digits(float64(x)) },
		"enough":  func(x report.Number) string { return form.Enough(float64(x)) },
		"picture": func(x, like []float64) template.URL { return shape.picture(x, like) }, "pictures": func() bool { return shape.width > 0 },
		"percent": func(x float64) string { return fmt.Sprintf("%.0f %%", 100*x) }, "shade": form.Shade, "numbers": exposure.Numbers,
		"truth": func(n Target) []float64 { return n.truth }, "found": func(n Target) []float64 { return n.found },
		"shownOf": shownOf,
		"good":    func(n Target) bool { return n.recognised() },
	}).Parse(exposure.Parts + attackPage)
	if err != nil {
		return err
	}
	return t.Execute(w, struct {
		*Answer
		Most int
	}{a, exposure.MostShown})
}

// shownOf returns the targets of an attack that the page shows. If there are too many it shows those with the best
// results, and the nearest of those without results.
func shownOf(k Attack) []Target {
	if len(k.Targets) <= exposure.MostShown {
		return k.Targets
	}
	all := slices.Clone(k.Targets)
	off := func(t *Target) float64 {
		if t.recognised() {
			return float64(t.Error)
		}
		return math.Inf(1)
	}
	slices.SortStableFunc(all, func(a, b Target) int {
		return cmp.Or(cmp.Compare(off(&a), off(&b)), cmp.Compare(a.Distance, b.Distance))
	})
	return all[:exposure.MostShown]
}

// A shape is the shape of pictures; width 0: features are no pictures.
type shape struct{ width, height, planes int }

// shapeOf returns the shape of grey pictures and of those with three planes; see spec.Data.Picture.
func shapeOf(a *Answer) shape {
	if p := a.algorithm.Spec.Data.Picture(a.algorithm.Train.Features); p != nil && (p[0] == 1 || p[0] == 3) &&
		p[0]*p[1]*p[2] == a.algorithm.Train.Features {
		return shape{width: p[2], height: p[1], planes: p[0]}
	}
	return shape{}
}

// picture returns x as an image with the brightness range of like.
func (s shape) picture(x, like []float64) template.URL {
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range like {
		low, high = min(low, v), max(high, v)
	}
	img := image.NewNRGBA(image.Rect(0, 0, s.width, s.height))
	level := func(v float64) uint8 {
		if math.IsNaN(v) || high <= low {
			return 0
		}
		return uint8(math.Round(255 * min(1, max(0, (v-low)/(high-low)))))
	}
	pixels := s.width * s.height
	for i := range pixels {
		c := color.NRGBA{A: 255}
		c.R = level(x[i])
		c.G, c.B = c.R, c.R
		if s.planes == 3 {
			c.G, c.B = level(x[pixels+i]), level(x[2*pixels+i])
		}
		img.SetNRGBA(i%s.width, i/s.width, c)
	}
	var b bytes.Buffer
	if png.Encode(&b, img) != nil { // an encoder to memory does not fail
		return ""
	}
	return template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(b.Bytes()))
}
