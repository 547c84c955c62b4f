package report

import (
	"fmt"
	"html/template"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

// maxCurve is how many points of a curve are drawn; metrics.csv has all.
const maxCurve = 500

// A curve is one series over steps.
type curve struct {
	name string
	of   func(Point) Spread
}

// curveChart draws series over steps with a band from the least to the largest
// trial. It returns "" when there is nothing finite to draw.
func curveChart(r *Result, y string, series []curve) (template.HTML, error) {
	points := thin(r.Curve)
	p := newChart("step", y)
	p.X.Tick.Marker, p.Y.Tick.Marker = plainTicks{}, plainTicks{}
	label := y + " over steps."
	drawn := 0
	for i, c := range series {
		mean, low, high := traces(points, c.of)
		if len(mean) < 2 {
			continue
		}
		drawn++
		if err := addSeries(p, i, mean, low, high); err != nil {
			return "", err
		}
		label += fmt.Sprintf(" %s goes from %.3g to %.3g.", c.name, mean[0].Y, mean[len(mean)-1].Y)
	}
	if drawn == 0 {
		return "", nil
	}
	return svg(p, label)
}

func addSeries(p *plot.Plot, i int, mean, low, high plotter.XYs) error {
	if err := addBand(p, i, low, high); err != nil {
		return err
	}
	return addLine(p, i, mean)
}

// thin keeps at most maxCurve points, the last among them.
func thin(points []Point) []Point {
	stride := (len(points) + maxCurve - 1) / maxCurve
	if stride < 2 {
		return points
	}
	var kept []Point
	for i := (len(points) - 1) % stride; i < len(points); i += stride {
		kept = append(kept, points[i])
	}
	return kept
}

// traces of mean, min and max, without the steps at which one is not finite.
func traces(points []Point, of func(Point) Spread) (mean, low, high plotter.XYs) {
	for _, p := range points {
		s := of(p)
		if !s.Mean.Finite() || !s.Min.Finite() || !s.Max.Finite() {
			continue
		}
		x := float64(p.Step)
		mean = append(mean, plotter.XY{X: x, Y: float64(s.Mean)})
		low = append(low, plotter.XY{X: x, Y: float64(s.Min)})
		high = append(high, plotter.XY{X: x, Y: float64(s.Max)})
	}
	return mean, low, high
}

// decayChart draws the loss against distance, logarithmically: per accountant
// the mean and a band from least to largest, and the local bound as a line. It
// returns "" when no distance or no positive finite loss is known.
func decayChart(r *Result, s *survey) (template.HTML, error) {
	if !s.distances.known() {
		return "", nil
	}
	p := newChart("distance (hops)", lossName(r.Privacy))
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, decades{}
	p.X.Tick.Marker = wholes{}
	label := "Privacy loss against distance."
	drawn := 0
	for k, l := range s.losses {
		mean, low, high := s.distances.traces(k)
		if len(mean) == 0 {
			continue
		}
		drawn++
		if err := addRings(p, k, mean, low, high); err != nil {
			return "", err
		}
		label += fmt.Sprintf(" Accountant %s: mean %s at distance %g, %s at distance %g.", l.Accountant,
			bound(mean[0].Y, l.Status), mean[0].X, bound(mean[len(mean)-1].Y, l.Status), mean[len(mean)-1].X)
	}
	if drawn == 0 {
		return "", nil
	}
	if a := localLine(r, s); a != nil {
		addLocal(p, float64(a.Max), len(s.losses))
	}
	roundDecades(p)
	return svg(p, label)
}

// addRings draws a series with a dot per distance.
func addRings(p *plot.Plot, k int, mean, low, high plotter.XYs) error {
	if err := addSeries(p, k, mean, low, high); err != nil {
		return err
	}
	dots, err := plotter.NewScatter(mean)
	if err != nil {
		return err
	}
	dots.Color, dots.Shape, dots.Radius = lineSlot(k), draw.CircleGlyph{}, 2.5
	p.Add(dots)
	return nil
}

// localLine is the accountant of one node's own noise alone, nil when there is
// none or when it is one of the series already.
func localLine(r *Result, s *survey) *Accounted {
	for _, l := range s.losses {
		if l.Accountant == LocalAccountant {
			return nil
		}
	}
	for _, a := range r.Privacy.All() {
		if a.Accountant == LocalAccountant && a.Max.Finite() && a.Max > 0 {
			return &a
		}
	}
	return nil
}

// addLocal draws the local bound as series i, across the chart.
func addLocal(p *plot.Plot, y float64, i int) {
	line := plotter.NewFunction(func(float64) float64 { return y })
	line.Color, line.Width, line.Dashes = lineSlot(i), 1.4, dashes(i)
	p.Add(line)
	p.Y.Min, p.Y.Max = min(p.Y.Min, y), max(p.Y.Max, y)
}

// roundDecades gives a logarithmic axis some room, which a flat line needs.
func roundDecades(p *plot.Plot) {
	p.Y.Min, p.Y.Max = p.Y.Min/1.3, p.Y.Max*1.3
	if p.X.Min == p.X.Max {
		p.X.Min, p.X.Max = p.X.Min-0.5, p.X.Max+0.5
	}
}

// traces of accountant k over distances with positive finite losses.
func (b *byDistance) traces(k int) (mean, low, high plotter.XYs) {
	for hops, r := range b.rings {
		if hops == 0 || r.pairs == 0 || r.eps[k].Max == 0 || math.IsInf(r.eps[k].Max, 1) {
			continue
		}
		x, m := float64(hops), r.mean(k)
		mean = append(mean, plotter.XY{X: x, Y: m})
		low = append(low, plotter.XY{X: x, Y: max(r.eps[k].Min, m*invisible)})
		high = append(high, plotter.XY{X: x, Y: r.eps[k].Max})
	}
	return mean, low, high
}

// invisible is how far below the mean a band may reach: a logarithmic axis has
// no place for a loss of zero.
const invisible = 1e-6

// lossName is the axis label of a loss.
func lossName(p Privacy) string {
	if p.Order > 0 {
		return fmt.Sprintf("Rényi loss at order %g", p.Order)
	}
	return "ε at δ = " + number(p.Delta, 3)
}
