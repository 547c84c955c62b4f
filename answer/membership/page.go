package membership

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"

	"github.com/hearsay-dp/hearsay/answer/exposure"
	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/internal/chart"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/report"
)

//go:embed page.html
var membershipPage string

// writeMembershipPage writes the page of an answer as one file.
func writeMembershipPage(w io.Writer, a *Answer) error {
	t, err := template.New("page").Funcs(template.FuncMap{
		"who": who, "away": hopsAway, "proved": exposure.Proved, "loss": form.Loss, "published": printedLoss, "chart": a.chart, "share": func(x float64) string { return form.Digits(x) },
		"name": func(int) string { return "" }, "names": func([]int) string { return "" }, // unused by this page: other pages' parts need them
	}).Parse(exposure.Parts + membershipPage)
	if err != nil {
		return err
	}
	return t.Execute(w, a)
}

// chartOver is the height of the chart in units of the largest sound number. Published numbers may be far above it.
const chartOver = 2

// aside is the shift of a coalition to the right of its distance, in hops.
const aside = 0.15

// A told is a curve of the chart: a number of every attacker.
type told struct {
	name   string
	stroke chart.Stroke
	of     func(p experiment.MembershipProved) report.Number
}

var allTold = []told{
	{"sound, at most", chart.Stroke{Color: "var(--sound)", Width: 2}, func(p experiment.MembershipProved) report.Number { return p.Sound }},
	{"published", chart.Stroke{Color: "var(--published)", Width: 1.6, Dashes: []float64{6, 3}}, func(p experiment.MembershipProved) report.Number {
		if p.Published == nil {
			return report.Number(math.NaN())
		}
		return *p.Published
	}},
	{"proved if Gaussian, at least", chart.Stroke{Color: "var(--audit)", Width: 1.4, Dashes: []float64{2, 2}}, func(p experiment.MembershipProved) report.Number { return p.Gaussian }},
	{"proved, at least", chart.Stroke{Color: "var(--audit)", Width: 2}, func(p experiment.MembershipProved) report.Number { return p.Proved }},
}

// points returns the points of single attackers, nearest first, and of coalitions at the distance of their nearest
// member.
func (a *Answer) points(t told, highest float64) (alone, together []chart.Point) {
	for _, p := range a.Attackers {
		y := float64(t.of(p))
		if p.Hops <= 0 || math.IsNaN(y) || math.IsInf(y, 0) || highest != 0 && y > highest {
			continue
		}
		if len(p.Nodes) > 1 {
			together = append(together, chart.Point{X: float64(p.Hops) + aside, Y: y})
		} else {
			alone = append(alone, chart.Point{X: float64(p.Hops), Y: y})
		}
	}
	slices.SortStableFunc(alone, func(p, q chart.Point) int { return cmp.Compare(p.X, q.X) })
	return alone, together
}

// highest returns the upper end of the chart, because published numbers may be far above. 0 means no limit.
func (a *Answer) highest() (highest float64) {
	for _, p := range a.Attackers {
		if y := float64(p.Sound); p.Hops > 0 && !math.IsInf(y, 0) {
			highest = max(highest, chartOver*y, chartOver*float64(p.Gaussian))
		}
	}
	return highest
}

// chart draws the proved numbers beside those of accountants, by distance. It returns "" if there is nothing to draw.
func (a *Answer) chart() template.HTML {
	c := &chart.Chart{
		Width: 640, Height: 360, X: "hops from the target to the attacker", Y: a.Metric, Ink: "var(--ink)", Grid: "#8886", Label: 13, Small: 11,
		Spare: chart.Spare{Y: 1.25},
	}
	c.TicksX = func(low, high float64) (ticks []chart.Tick) {
		for x := math.Ceil(low); x <= high; x++ {
			ticks = append(ticks, chart.Tick{Value: x, Label: fmt.Sprint(x)})
		}
		return ticks
	}
	drawn, highest := false, a.highest()
	for _, t := range allTold {
		alone, together := a.points(t, highest)
		if len(alone)+len(together) == 0 {
			continue
		}
		drawn = true
		c.Line(alone, t.stroke, t.name)
		c.Dots(alone, t.stroke.Color, 3)
		if len(together) > 0 {
			c.Rings(together, t.stroke, 5)
			c.X = "hops from the target to the attacker (rings: to the nearest of several together)"
		}
	}
	if !drawn {
		return ""
	}
	c.Line([]chart.Point{{X: 0.8, Y: 0}}, chart.Stroke{}, "")
	return template.HTML(`<svg role="img" aria-label="proved, sound and published losses by distance" viewBox="0 0 640 360" style="max-width:640px;width:100%">` + c.Body() + `</svg>`)
}
