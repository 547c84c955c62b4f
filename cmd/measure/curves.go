package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/hearsay-dp/hearsay/internal/chart"
)

// picture is the file of the curves.
const picture = "docs/scale.svg"

// A point is the median time of one size of a curve.
type point struct {
	n       int
	seconds float64
}

// points returns the measured points of a curve, in the order of Sizes.
func (s Sitting) points(kept results) []point {
	result, ok := kept[s.Name]
	if !ok {
		return nil
	}
	var p []point
	for _, n := range s.Sizes {
		if values := result.values(sized(s.Value, n)); len(values) > 0 {
			p = append(p, point{n, summarise(values).median / 1e9})
		}
	}
	return p
}

// power returns the power of n that fits the upper half of a curve, by least squares of logarithms. The lower half is left out
// because fixed costs dominate there.
func power(p []point) float64 {
	p = p[len(p)/2:]
	var x, y, xx, xy float64
	for _, q := range p {
		a, b := math.Log(float64(q.n)), math.Log(q.seconds)
		x, y, xx, xy = x+a, y+b, xx+a*a, xy+a*b
	}
	k := float64(len(p))
	return (k*xy - x*y) / (k*xx - x*x)
}

// colours holds the colours of curves. Colour-blind readers can tell them apart, too.
var colours = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9"}

// draw returns the picture of all curves as SVG. A thin dashed line through the middle of each curve shows the growth in theory.
func (l *List) draw(kept results) string {
	powers := chart.Decades(func(x float64) string { return name(x) }, 1)
	c := &chart.Chart{
		Width: 640, Height: 480, X: "nodes", Y: "seconds", LogY: true, Ink: "#222", Grid: "#ccc", GridX: true, Label: 16, Small: 14,
		TicksX: func(low, high float64) []chart.Tick {
			var ticks []chart.Tick
			for k := math.Ceil(low); k <= high; k++ {
				ticks = append(ticks, chart.Tick{Value: k, Label: name(math.Pow(10, k))})
			}
			return ticks
		},
		TicksY: powers, Spare: chart.Spare{X: 1, Y: 1e4},
	}
	k := 0
	for _, s := range l.Sittings {
		p := s.points(kept)
		if len(p) == 0 {
			continue
		}
		var line, theory []chart.Point
		middle := p[len(p)/2]
		for _, q := range p {
			x := math.Log10(float64(q.n))
			line = append(line, chart.Point{X: x, Y: q.seconds})
			theory = append(theory, chart.Point{X: x, Y: middle.seconds * math.Pow(float64(q.n)/float64(middle.n), s.Theory.Power)})
		}
		colour := colours[k%len(colours)]
		c.Line(theory, chart.Stroke{Color: colour, Width: 1, Dashes: []float64{3, 4}}, "")
		c.Line(line, chart.Stroke{Color: colour, Width: 2}, s.Curve)
		c.Dots(line, colour, 3)
		k++
	}
	if k == 0 {
		c.Line([]chart.Point{{X: 2, Y: 1}, {X: 7, Y: 1}}, chart.Stroke{Color: "none"}, "not measured")
	}
	return chart.SVG(1, c)
}

// name writes a power of ten for people: 0.001 to 10000 as a number, others as 10ⁿ.
func name(x float64) string {
	k := int(math.Round(math.Log10(x)))
	if k >= 0 && k <= 4 || k < 0 && k >= -3 {
		return fmt.Sprintf("%g", math.Pow10(k))
	}
	return "10" + superscript(k)
}

func superscript(k int) string {
	return strings.NewReplacer("-", "⁻", "0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹").Replace(fmt.Sprint(k))
}

// slopes returns the table under the picture: the growth in theory, the measured growth and the largest size.
func (l *List) slopes(kept results) string {
	var b strings.Builder
	b.WriteString("| cost | theory | measured, upper half | largest | why |\n|---|---|---|---|---|\n")
	for _, s := range l.Sittings {
		p := s.points(kept)
		if len(p) == 0 {
			continue
		}
		top := p[len(p)-1]
		grows := "one size"
		if len(p) >= 4 {
			grows = fmt.Sprintf("n^%.2f", power(p))
		}
		largest := fmt.Sprintf("n = %d: %s", top.n, seconds(top.seconds))
		if stopped := kept[s.Name].Config["stopped"]; stopped != "" {
			largest += "; " + stopped
		}
		fmt.Fprintf(&b, "| %s | n^%g | %s | %s | %s |\n", s.Curve, s.Theory.Power, grows, largest, s.Theory.Says)
	}
	return b.String()
}
