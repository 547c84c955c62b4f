package papers

import (
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"hearsay/report"
)

// WriteChart draws the mean objective over time of every outcome as SVG.
func (s Study) WriteChart(w io.Writer, outcomes []Outcome) error {
	p := plot.New()
	p.Title.Text = s.Title
	p.X.Label.Text, p.Y.Label.Text = "step", "objective (training loss)"
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: 2}
	p.Legend.Top, p.Legend.Left = true, false
	p.Add(plotter.NewGrid())
	for i, o := range outcomes {
		line, err := plotter.NewLine(objective(o.Result))
		if err != nil {
			return err
		}
		line.Color, line.Dashes, line.Width = plotutil.Color(i), plotutil.Dashes(i/4), 1.5
		p.Add(line)
		p.Legend.Add(o.Variant.Name, line)
	}
	canvas := vgsvg.New(16*vg.Centimeter, 10*vg.Centimeter)
	p.Draw(draw.New(canvas))
	_, err := canvas.WriteTo(w)
	return err
}

func objective(r *report.Result) plotter.XYs {
	var line plotter.XYs
	for _, point := range r.Curve {
		line = append(line, plotter.XY{X: float64(point.Step), Y: float64(point.TrainLoss.Mean)})
	}
	return line
}
