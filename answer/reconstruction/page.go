package reconstruction

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"

	"github.com/hearsay-dp/hearsay/answer/exposure"
	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/internal/chart"
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
		"picture": func(x, like []float64) template.URL { return picture(shape, x, like) }, "pictures": func() bool { return shape != nil },
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

// shapeOf returns the shape of grey pictures and of those with three planes, nil if features are no pictures; see
// spec.Data.Picture.
func shapeOf(a *Answer) *[3]int {
	if p := a.algorithm.Spec.Data.Picture(a.algorithm.Train.Features); p != nil && (p[0] == 1 || p[0] == 3) &&
		p[0]*p[1]*p[2] == a.algorithm.Train.Features {
		return &[3]int{p[0], p[1], p[2]}
	}
	return nil
}

// picture returns x as an image with the brightness range of like.
func picture(shape *[3]int, x, like []float64) template.URL {
	return template.URL(chart.DataURI(chart.Pixels(x, *shape, slices.Min(like), slices.Max(like))))
}
