package report

import (
	"bytes"
	"fmt"
	"html/template"
	"math"
	"regexp"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Charts are drawn at this size; the page scales them.
const (
	chartWidth  = 400 * vg.Length(1)
	chartHeight = 245 * vg.Length(1)
)

// A slot stands for a colour that the page decides, light or dark. It is drawn
// as #EEDDxx and replaced by a CSS variable once the SVG is made.
type slot uint8

// The slots: two for text and lines, then a line and a band per series.
const (
	slotInk slot = iota
	slotGrid
	slotSeries
)

// maxSeries is how many series have a colour of their own; later ones reuse them.
const maxSeries = 4

func lineSlot(i int) slot { return slotSeries + slot(i%maxSeries)*2 }
func bandSlot(i int) slot { return lineSlot(i) + 1 }

// RGBA implements color.Color, half a step above the 8-bit value so that
// whoever truncates gets it back.
func (s slot) RGBA() (r, g, b, a uint32) {
	const half = 128
	return 0xee*0x101 + half, 0xdd*0x101 + half, uint32(s)*0x101 + half, 0xffff
}

// css is what the slot becomes.
func (s slot) css() string {
	switch {
	case s == slotInk:
		return "var(--muted)"
	case s == slotGrid:
		return "var(--grid)"
	case (s-slotSeries)%2 == 1:
		return fmt.Sprintf("var(--series-%d);fill-opacity:var(--band)", (s-slotSeries)/2+1)
	}
	return fmt.Sprintf("var(--series-%d)", (s-slotSeries)/2+1)
}

// newChart returns an empty plot in the page's style.
func newChart(x, y string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Color = slotGrid
		axis.LineStyle.Color = slotGrid
		axis.Tick.LineStyle.Color = slotGrid
		axis.Tick.Label.Color = slotInk
		axis.Tick.Label.Font.Variant = "Sans"
		axis.Tick.Label.Font.Size = 11
		axis.Label.TextStyle.Color = slotInk
		axis.Label.TextStyle.Font.Variant = "Sans"
		axis.Label.TextStyle.Font.Size = 12
		axis.Label.Padding = 3
	}
	p.X.Label.Text, p.Y.Label.Text = x, y
	p.Y.LineStyle.Width, p.Y.Tick.LineStyle.Width = 0, 0
	grid := plotter.NewGrid()
	grid.Horizontal = draw.LineStyle{Color: slotGrid, Width: 0.6}
	grid.Vertical.Width = 0
	p.Add(grid)
	return p
}

// addBand fills the area between low and high in the colour of series i.
func addBand(p *plot.Plot, i int, low, high plotter.XYs) error {
	outline := append(plotter.XYs{}, high...)
	for at := len(low) - 1; at >= 0; at-- {
		outline = append(outline, low[at])
	}
	band, err := plotter.NewPolygon(outline)
	if err != nil {
		return err
	}
	band.Color, band.LineStyle.Width = bandSlot(i), 0
	p.Add(band)
	return nil
}

// addLine draws a line in the colour of series i, dashed after the first one
// of a chart so that colour is never the only difference.
func addLine(p *plot.Plot, i int, xys plotter.XYs) error {
	line, err := plotter.NewLine(xys)
	if err != nil {
		return err
	}
	line.Color, line.Width, line.Dashes = lineSlot(i), 1.8, dashes(i)
	p.Add(line)
	return nil
}

func dashes(i int) []vg.Length {
	return [][]vg.Length{nil, {7, 3}, {2, 2.5}, {8, 3, 2, 3}}[i%maxSeries]
}

// svg renders the plot for inlining in HTML, described for those who do not see
// it. Its text comes from numbers and from this package's own labels, and
// vgsvg escapes it.
func svg(p *plot.Plot, label string) (template.HTML, error) {
	canvas := vgsvg.New(chartWidth, chartHeight)
	p.Draw(draw.New(canvas))
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return "", err
	}
	_, body, _ := strings.Cut(b.String(), "<svg")
	_, body, _ = strings.Cut(body, ">")
	open := fmt.Sprintf(`<svg class="chart" role="img" aria-label="%s" viewBox="0 0 %g %g">`,
		template.HTMLEscapeString(label), chartWidth.Points(), chartHeight.Points())
	body = fonts.ReplaceAllString(body, "")
	return template.HTML(open + themed().Replace(body)), nil
}

// fonts are left to the style sheet, whose sizes the SVG keeps.
var fonts = regexp.MustCompile(`font-(family|variant|weight|style):[^;"]*;`)

// themed replaces slots by CSS variables.
func themed() *strings.Replacer {
	var pairs []string
	for s := slotInk; s < slotSeries+2*maxSeries; s++ {
		pairs = append(pairs, fmt.Sprintf("#EEDD%02X", uint8(s)), s.css())
	}
	return strings.NewReplacer(pairs...)
}

// decades puts ticks at powers of ten, at 1, 2 and 5 of each where few fit, and
// writes the numbers as the page does.
type decades struct{}

// Ticks implements plot.Ticker; min and max are positive.
func (decades) Ticks(low, high float64) []plot.Tick {
	first, last := math.Floor(math.Log10(low)), math.Ceil(math.Log10(high))
	steps, stride := []float64{1, 2, 5}, 1.0
	if last-first > 3 {
		steps, stride = []float64{1}, math.Ceil((last-first)/7)
	}
	var ticks []plot.Tick
	for e := first; e <= last; e += stride {
		for _, m := range steps {
			if x := m * math.Pow(10, e); x >= low*(1-slack) && x <= high*(1+slack) {
				ticks = append(ticks, plot.Tick{Value: x, Label: number(x, 2)})
			}
		}
	}
	return ticks
}

// wholes puts at most twelve ticks at whole numbers.
type wholes struct{}

// Ticks implements plot.Ticker.
func (wholes) Ticks(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	stride := math.Ceil((high - low) / 12)
	for x := math.Ceil(low); x <= high; x += max(1, stride) {
		ticks = append(ticks, plot.Tick{Value: x, Label: count(int(x))})
	}
	return ticks
}

// plainTicks are gonum's ticks with labels as the page writes numbers.
type plainTicks struct{}

// Ticks implements plot.Ticker.
func (plainTicks) Ticks(low, high float64) []plot.Tick {
	ticks := plot.DefaultTicks{}.Ticks(low, high)
	for i := range ticks {
		if t := &ticks[i]; t.IsMinor() {
			continue
		} else if math.Abs(t.Value) >= 10_000 && t.Value == math.Trunc(t.Value) {
			t.Label = count(int(t.Value))
		}
	}
	return ticks
}
