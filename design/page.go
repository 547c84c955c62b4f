package design

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"

	"github.com/hearsay-dp/hearsay/internal/chart"
	"github.com/hearsay-dp/hearsay/report"
)

//go:embed page.html
var pageText string

// WritePage writes the page as one file without external resources.
func (d *Design) WritePage(w io.Writer) error {
	t, err := template.New("page").Funcs(template.FuncMap{
		"measured": d.Measured, "took": took, "called": func(p Plan) string { return p.Called() }, "picture": d.picture,
		"digits":  func(x float64) string { return fmt.Sprintf("%.4g", x) },
		"percent": func(x float64) string { return fmt.Sprintf("%.0f %%", 100*x) },
		"loss":    func(l Loss) string { return report.Loss(float64(l.Spent), report.Status(l.Status)) },
	}).Parse(pageText)
	if err != nil {
		return err
	}
	return t.Execute(w, struct {
		*Design
		Style template.CSS
	}{d, report.Style()})
}

// colours are those of plans by the share of the limits that they spend.
var colours = map[float64]string{1: "#b3432b", 0.5: "#2b6cb3", 0.25: "#3d8b5f"}

// picture draws the plans: their score over their time, with intervals, by the share of the limits that they spend. Those on the
// front are discs, others rings.
func (d *Design) picture() template.HTML {
	c := &chart.Chart{Width: 640, Height: 320, X: "estimated time, seconds", Y: d.Measure, Ink: "currentColor", Grid: "#8884", Label: 13, Small: 11, Spare: chart.Spare{X: 1.05, Y: 1}}
	for _, part := range shares {
		var low, high, discs, rings []chart.Point
		for _, p := range d.Plans {
			if p.Share != part || !p.Utility.Score.Finite() {
				continue
			}
			low, high = append(low, chart.Point{X: p.Seconds, Y: float64(p.Utility.Low)}), append(high, chart.Point{X: p.Seconds, Y: float64(p.Utility.High)})
			if at := (chart.Point{X: p.Seconds, Y: float64(p.Utility.Score)}); p.Front {
				discs = append(discs, at)
			} else {
				rings = append(rings, at)
			}
		}
		stroke := chart.Stroke{Color: colours[part], Width: 1.4}
		c.Bars(low, high, stroke)
		c.Dots(discs, colours[part], 5)
		c.Rings(rings, stroke, 4)
	}
	return template.HTML(chart.SVG(1, c))
}
