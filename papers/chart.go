package papers

import (
	"image/color"
	"io"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/hearsay-dp/hearsay/report"
)

// palette is that of Okabe and Ito (2008), which colour-blind readers tell
// apart; dashes repeat the difference.
var palette = []color.RGBA{
	{0, 0, 0, 255}, {0, 114, 178, 255}, {86, 180, 233, 255}, {0, 158, 115, 255},
	{230, 159, 0, 255}, {213, 94, 0, 255}, {204, 121, 167, 255}, {120, 120, 120, 255},
}

// WriteChart draws the mean objective over time of every outcome as SVG, the
// names in the order of the curves' ends.
func (s Study) WriteChart(w io.Writer, outcomes []Outcome) error {
	p := newPlot(s.Title)
	for i, o := range outcomes {
		line, err := plotter.NewLine(objective(o.Result))
		if err != nil {
			return err
		}
		line.Color, line.Width = palette[i%len(palette)], 1.6
		if i%2 == 1 {
			line.Dashes = []vg.Length{6, 2}
		}
		p.Add(line)
		p.Legend.Add(o.Variant.Name, line)
	}
	p.X.Max *= 1.5 // room for the legend
	canvas := vgsvg.New(18*vg.Centimeter, 10*vg.Centimeter)
	p.Draw(draw.Crop(draw.New(canvas), 6, -6, 6, -6))
	_, err := canvas.WriteTo(w)
	return err
}

func newPlot(title string) *plot.Plot {
	p := plot.New()
	p.Title.Text = title
	p.X.Label.Text, p.Y.Label.Text = "step", "objective (training loss)"
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, losses{}
	p.Legend.Top = true
	p.Legend.YPosition = draw.PosCenter
	for _, f := range []*font.Font{
		&p.Title.TextStyle.Font, &p.X.Label.TextStyle.Font, &p.Y.Label.TextStyle.Font,
		&p.X.Tick.Label.Font, &p.Y.Tick.Label.Font, &p.Legend.TextStyle.Font,
	} {
		f.Variant = "Sans"
	}
	p.Add(plotter.NewGrid())
	return p
}

// losses puts ticks at 1, 2 and 5 times powers of ten.
type losses struct{}

// Ticks implements plot.Ticker.
func (losses) Ticks(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	for decade := 1e-6; decade <= high; decade *= 10 {
		for _, m := range []float64{1, 2, 5} {
			if x := m * decade; x >= low && x <= high {
				ticks = append(ticks, plot.Tick{Value: x, Label: strconv.FormatFloat(x, 'g', 3, 64)})
			}
		}
	}
	return ticks
}

// penalised is the mean loss over all rows with the penalty, the same function
// for every algorithm: what the papers plot.
func penalised(p report.Point) report.Number { return p.TrainLoss.Mean + p.Penalty.Mean }

func objective(r *report.Result) plotter.XYs {
	var line plotter.XYs
	for _, point := range r.Curve {
		line = append(line, plotter.XY{X: float64(point.Step), Y: float64(penalised(point))})
	}
	return line
}
