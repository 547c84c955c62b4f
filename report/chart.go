package report

import (
	"fmt"
	"html/template"

	"github.com/hearsay-dp/hearsay/internal/chart"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// maxSeries is the number of series with a colour of their own. Later ones reuse
// the colours.
const maxSeries = 4

// lineColor returns a colour that the page defines, light or dark.
func lineColor(i int) string { return fmt.Sprintf("var(--series-%d)", i%maxSeries+1) }
func bandColor(i int) string { return lineColor(i) + ";fill-opacity:var(--band)" }

// lineStroke returns a stroke that is dashed after the first series of a chart,
// so that colour is never the only difference.
func lineStroke(i int) chart.Stroke {
	return chart.Stroke{Color: lineColor(i), Width: 1.8, Dashes: [][]float64{nil, {7, 3}, {2, 2.5}, {8, 3, 2, 3}}[i%maxSeries]}
}

// newChart returns an empty chart in the page's style. The page scales it.
func newChart(x, y string) *chart.Chart {
	return &chart.Chart{
		Width: 400, Height: 245, X: x, Y: y, TicksX: plainTicks, TicksY: plainTicks,
		Ink: "var(--muted)", Grid: "var(--grid)", Label: 12, Small: 11,
	}
}

// svg returns the chart as SVG inside HTML, with a description for screen
// readers.
func svg(c *chart.Chart, label string) template.HTML {
	return template.HTML(fmt.Sprintf(`<svg class="chart" role="img" aria-label="%s" viewBox="0 0 %g %g">%s</svg>`,
		template.HTMLEscapeString(label), c.Width, c.Height, c.Body()))
}

// decades puts ticks at powers of ten, and at 1, 2 and 5 of each if there are
// few. It formats numbers as the page does.
func decades(low, high float64) []chart.Tick {
	label := func(x float64) string { return number(x, 2) }
	span := math.Ceil(math.Log10(high)) - math.Floor(math.Log10(low))
	if span <= 3 {
		return chart.Decades(label, 1, 2, 5)(low, high)
	}
	ticks, stride := chart.Decades(label, 1)(low, high), int(math.Ceil(span/7))
	var kept []chart.Tick
	for k := 0; k < len(ticks); k += stride {
		kept = append(kept, ticks[k])
	}
	return kept
}

// wholes puts at most twelve ticks at whole numbers.
func wholes(low, high float64) []chart.Tick {
	var ticks []chart.Tick
	stride := math.Ceil((high - low) / 12)
	for x := math.Ceil(low); x <= high; x += max(1, stride) {
		ticks = append(ticks, chart.Tick{Value: x, Label: count(int(x))})
	}
	return ticks
}

// plainTicks returns ticks of a linear axis, with large numbers formatted as on
// the page.
func plainTicks(low, high float64) []chart.Tick {
	ticks := chart.Nice(low, high)
	for k, t := range ticks {
		if math.Abs(t.Value) >= 10_000 && t.Value == math.Trunc(t.Value) {
			ticks[k].Label = count(int(t.Value))
		}
	}
	return ticks
}
