package papers

import (
	"io"
	"strconv"

	"github.com/hearsay-dp/hearsay/internal/chart"
	"github.com/hearsay-dp/hearsay/report"
)

// palette holds the colours of Okabe and Ito (2008), which colour-blind
// readers can distinguish. Dashes repeat the difference.
var palette = []string{"#000000", "#0072b2", "#56b4e9", "#009e73", "#e69f00", "#d55e00", "#cc79a7", "#787878"}

// scale holds colours from light to dark, of even steps in lightness.
var scale = []string{"#f5d34f", "#9fcf5a", "#3fae78", "#2a7f8c", "#3a5488", "#3f2463"}

// WriteChart draws the mean objective over time of every outcome as SVG. The
// names stand in the order of the curves' ends.
func (s Study) WriteChart(w io.Writer, outcomes []Outcome) error {
	c := newChart(s.Title, "step", "objective (training loss)", 640, 356)
	c.TicksY, c.Spare.X = chart.Decades(plain, 1, 2, 5), 1.5 // room for the legend
	for i, o := range outcomes {
		stroke := chart.Stroke{Color: palette[i%len(palette)], Width: 1.6}
		if i%2 == 1 {
			stroke.Dashes = []float64{6, 2}
		}
		c.Line(objective(o.Result), stroke, o.Variant.Name)
	}
	_, err := io.WriteString(w, chart.SVG(1, c))
	return err
}

func newChart(title, x, y string, width, height float64) *chart.Chart {
	return &chart.Chart{
		Width: width, Height: height, Title: title, X: x, Y: y, LogY: true, Ink: "#000", Grid: "#bbb", GridX: true, Label: 13, Small: 11,
	}
}

func plain(x float64) string { return strconv.FormatFloat(x, 'g', 3, 64) }

// penalised returns the mean loss over all rows with the penalty, which the
// papers plot. It is the same function for every algorithm.
func penalised(p report.Point) report.Number { return p.TrainLoss.Mean + p.Penalty.Mean }

func objective(r *report.Result) []chart.Point {
	var line []chart.Point
	for _, point := range r.Curve {
		line = append(line, chart.Point{X: float64(point.Step), Y: float64(penalised(point))})
	}
	return line
}
