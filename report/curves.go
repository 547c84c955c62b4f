package report

import (
	"fmt"
	"html/template"

	"github.com/hearsay-dp/hearsay/internal/chart"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// maxCurve is the number of points of a curve that are drawn; metrics.csv has
// all.
const maxCurve = 500

// A curve is one series over steps.
type curve struct {
	name string
	of   func(Point) Spread
}

// curveChart draws series over steps with a band from the least to the largest
// trial. It returns "" if there is nothing finite to draw.
func curveChart(r *Result, y string, series []curve) template.HTML {
	points := thin(r.Curve)
	p := newChart("step", y)
	label := y + " over steps."
	drawn := 0
	for i, c := range series {
		mean, low, high := traces(points, c.of)
		if len(mean) < 2 {
			continue
		}
		drawn++
		addSeries(p, i, mean, low, high)
		label += fmt.Sprintf(" %s goes from %.3g to %.3g.", c.name, mean[0].Y, mean[len(mean)-1].Y)
	}
	if drawn == 0 {
		return ""
	}
	return svg(p, label)
}

func addSeries(p *chart.Chart, i int, mean, low, high []chart.Point) {
	p.Band(low, high, bandColor(i))
	p.Line(mean, lineStroke(i), "")
}

// thin keeps at most maxCurve points, including the last.
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

// traces returns the mean, min and max, without the steps at which one of them
// is not finite.
func traces(points []Point, of func(Point) Spread) (mean, low, high []chart.Point) {
	for _, p := range points {
		s := of(p)
		if !s.Mean.Finite() || !s.Min.Finite() || !s.Max.Finite() {
			continue
		}
		x := float64(p.Step)
		mean = append(mean, chart.Point{X: x, Y: float64(s.Mean)})
		low = append(low, chart.Point{X: x, Y: float64(s.Min)})
		high = append(high, chart.Point{X: x, Y: float64(s.Max)})
	}
	return mean, low, high
}

// decayChart draws the loss against distance on a logarithmic axis. For each
// accountant it draws the mean and a band from least to largest, and the local
// bound as a line. It returns "" if no distance or no positive finite loss is
// known.
func decayChart(r *Result, s *survey) template.HTML {
	if !s.distances.known() {
		return ""
	}
	p := newChart("distance (hops)", lossName(r.Privacy))
	p.LogY, p.TicksX, p.TicksY = true, wholes, decades
	label := "Privacy loss against distance."
	drawn := 0
	for k, l := range s.losses {
		mean, low, high := s.distances.traces(k)
		if len(mean) == 0 {
			continue
		}
		drawn++
		addSeries(p, k, mean, low, high)
		p.Dots(mean, lineColor(k), 2.5) // one a distance
		label += fmt.Sprintf(" Accountant %s: mean %s at distance %g, %s at distance %g.", l.Accountant,
			bound(mean[0].Y, l.Status), mean[0].X, bound(mean[len(mean)-1].Y, l.Status), mean[len(mean)-1].X)
	}
	if drawn == 0 {
		return ""
	}
	if a := localLine(r, s); a != nil {
		local := lineStroke(len(s.losses))
		local.Width = 1.4
		p.Rule(float64(a.Max), local)
	}
	p.Pad(1.3) // for a flat line
	return svg(p, label)
}

// localLine returns the account of a node's own noise alone. It returns nil if
// there is none or if it is one of the series.
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

// traces returns the losses of accountant k over the distances with positive
// finite losses.
func (b *byDistance) traces(k int) (mean, low, high []chart.Point) {
	for hops, r := range b.rings {
		if hops == 0 || r.eps[k].pairs == 0 || r.eps[k].Max == 0 || math.IsInf(r.eps[k].Max, 1) {
			continue
		}
		x, m := float64(hops), r.mean(k)
		mean = append(mean, chart.Point{X: x, Y: m})
		low = append(low, chart.Point{X: x, Y: max(r.eps[k].Min, m*invisible)})
		high = append(high, chart.Point{X: x, Y: r.eps[k].Max})
	}
	return mean, low, high
}

// invisible is the smallest ratio of a band's lower end to the mean, because a
// logarithmic axis cannot show a loss of zero.
const invisible = 1e-6

// lossName returns the axis label of a loss.
func lossName(p Privacy) string {
	if p.Order > 0 {
		return fmt.Sprintf("Rényi loss at order %g", p.Order)
	}
	return "ε at δ = " + number(p.Delta, 3)
}
