package main

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/internal/chart"
	"github.com/hearsay-dp/hearsay/report"
)

//go:embed attack_membership.html
var membershipPage string

// writeMembershipPage writes the page of an answer: one file that needs nothing else.
func writeMembershipPage(w io.Writer, a *membershipAnswer) error {
	t, err := template.New("page").Funcs(template.FuncMap{
		"who": who, "away": hopsAway, "loss": loss, "published": printedLoss, "chart": a.chart, "share": func(x float64) string { return digits(report.Number(x)) },
		"name": func(int) string { return "" }, "names": func([]int) string { return "" }, // of nobody: parts of other pages
	}).Parse(attackParts + membershipPage)
	if err != nil {
		return err
	}
	return t.Execute(w, a)
}

// chartOver is how many times the largest sound number the chart reaches; what is published may be far above.
const chartOver = 2

// chart draws what was proved beside what accountants say, by distance; "" if there is nothing to draw.
func (a *membershipAnswer) chart() template.HTML {
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
	lines := []struct {
		name   string
		stroke chart.Stroke
		of     func(p experiment.MembershipProved) report.Number
	}{
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
	drawn, highest := false, 0.0
	for _, p := range a.Attackers {
		if y := float64(p.Sound); len(p.Nodes) == 1 && !math.IsInf(y, 0) {
			highest = max(highest, chartOver*y, chartOver*float64(p.Gaussian))
		}
	}
	for _, line := range lines {
		var points []chart.Point
		for _, p := range a.Attackers {
			if y := float64(line.of(p)); len(p.Nodes) == 1 && p.Hops > 0 && !math.IsNaN(y) && !math.IsInf(y, 0) && (highest == 0 || y <= highest) {
				points = append(points, chart.Point{X: float64(p.Hops), Y: y})
			}
		}
		if len(points) == 0 {
			continue
		}
		drawn = true
		c.Line(points, line.stroke, line.name)
		c.Dots(points, line.stroke.Color, 3)
	}
	if !drawn {
		return ""
	}
	c.Line([]chart.Point{{X: 0.8, Y: 0}}, chart.Stroke{}, "")
	return template.HTML(`<svg role="img" aria-label="proved, sound and published losses by distance" viewBox="0 0 640 360" style="max-width:640px;width:100%">` + c.Body() + `</svg>`)
}
