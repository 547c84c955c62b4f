package figure

import (
	"fmt"
	"image/color"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
	"gonum.org/v1/plot/vg/vgtex"

	"github.com/hearsay-dp/hearsay/fault"
)

// colours are those of Okabe and Ito (2008). Beyond eight curves they repeat, dashed.
var colours = []color.RGBA{
	{0, 0x72, 0xb2, 0xff}, {0xd5, 0x5e, 0, 0xff}, {0, 0x9e, 0x73, 0xff}, {0xe6, 0x9f, 0, 0xff}, {0xcc, 0x79, 0xa7, 0xff}, {0x56, 0xb4, 0xe9, 0xff}, {0, 0, 0, 0xff}, {0x78, 0x78, 0x78, 0xff},
}

// Sizes of a single panel, which fits a column of a paper, and of one of several panels.
const (
	alone, aloneHeight = 8.6 * vg.Centimeter, 6.4 * vg.Centimeter
	one, oneHeight     = 6.2 * vg.Centimeter, 5.2 * vg.Centimeter
)

// Formats lists the file extensions that Write supports.
const Formats = ".pdf, .svg, .pgf or .csv"

// Check refuses a file name without a supported extension.
func Check(path string) error {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".pdf", ".svg", ".pgf", ".csv":
		return nil
	}
	return fault.New(fmt.Sprintf("--figure %s: the format is not known", path), "give a name that ends in "+Formats)
}

// Write writes the figure in the format of the extension of path. Equal figures give equal bytes.
func (f *Figure) Write(w io.Writer, path string) error {
	if err := Check(path); err != nil {
		return err
	}
	rows, columns := len(f.Panels), len(f.Panels[0])
	width, height := alone, aloneHeight
	if rows*columns > 1 {
		width, height = one*vg.Length(columns), oneHeight*vg.Length(rows)
	}
	height += f.key(plain).height(width)
	switch strings.ToLower(filepath.Ext(path)) {
	case ".csv":
		return f.csv(w)
	case ".svg":
		c := vgsvg.New(width, height)
		f.draw(draw.New(c), plain)
		_, err := c.WriteTo(w)
		return err
	case ".pgf":
		c := vgtex.New(width, height)
		f.draw(draw.New(c), TeX)
		_, err := c.WriteTo(w)
		return err
	}
	c := vgpdf.New(width, height)
	f.draw(draw.New(c), plain)
	var text strings.Builder
	if _, err := c.WriteTo(&text); err != nil {
		return err
	}
	_, err := io.WriteString(w, dates.ReplaceAllString(text.String(), "/${1}Date (D:19700101000000"))
	return err
}

// dates matches the dates in a PDF. They are replaced by dates of the same length.
var dates = regexp.MustCompile(`/(Creation|Mod)Date \(D:\d{14}`)

// plain returns a text unchanged.
func plain(text string) string { return text }

// draw draws all panels. say encodes the texts for the format.
func (f *Figure) draw(dc draw.Canvas, say func(string) string) {
	key := f.key(say)
	below := key.height(dc.Max.X - dc.Min.X)
	key.draw(draw.Crop(dc, 0, 0, 0, below-(dc.Max.Y-dc.Min.Y)))
	dc = draw.Crop(dc, 0, 0, below, 0)
	plots := make([][]*plot.Plot, len(f.Panels))
	for i, line := range f.Panels {
		for _, p := range line {
			plots[i] = append(plots[i], f.panel(p, key, say))
		}
	}
	tiles := draw.Tiles{Rows: len(plots), Cols: len(plots[0]), PadX: vg.Points(8), PadY: vg.Points(8), PadTop: vg.Points(4), PadBottom: vg.Points(4), PadLeft: vg.Points(4), PadRight: vg.Points(8)}
	for i, line := range plot.Align(plots, tiles, dc) {
		for j, c := range line {
			plots[i][j].Draw(c)
		}
	}
}

// small is the font size in points.
const small = 7

// panel draws one pair of axes with its curves.
func (f *Figure) panel(p Panel, key *key, say func(string) string) *plot.Plot {
	drawn := plot.New()
	drawn.Title.Text, drawn.X.Label.Text, drawn.Y.Label.Text = say(p.Title), say(f.X), say(f.Y)
	drawn.Title.TextStyle.Font.Size = vg.Points(small + 1)
	for _, axis := range []*plot.Axis{&drawn.X, &drawn.Y} {
		axis.Label.TextStyle.Font.Size, axis.Tick.Label.Font.Size = vg.Points(small), vg.Points(small)
		axis.LineStyle.Width, axis.Tick.LineStyle.Width = vg.Points(0.5), vg.Points(0.5)
	}
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = color.Gray{0xdd}, color.Gray{0xdd}
	drawn.Add(grid)
	for _, c := range p.Curves {
		add(drawn, c, key)
	}
	low, high := f.extent()
	if !slices.ContainsFunc(p.Curves, func(c Curve) bool { return len(c.Points) > 0 }) { // all its cells failed
		drawn.X.Min, drawn.X.Max, drawn.Y.Min, drawn.Y.Max = low, high, 0, 1
	}
	if low > 0 && high >= 8*low {
		drawn.X.Scale, drawn.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	}
	if at := f.losses(); len(at) <= mostTicks {
		drawn.X.Tick.Marker = plot.ConstantTicks(at)
	}
	return drawn
}

// mostTicks is the largest number of losses that are ticks themselves.
const mostTicks = 8

// losses returns a tick for each loss of all points, unless three digits do not distinguish it from an earlier one.
func (f *Figure) losses() (ticks []plot.Tick) {
	seen := map[string]bool{}
	for _, line := range f.Panels {
		for _, p := range line {
			for _, c := range p.Curves {
				for _, at := range c.Points {
					if label := strconv.FormatFloat(at.X, 'g', 3, 64); !seen[label] {
						seen[label] = true
						ticks = append(ticks, plot.Tick{Value: at.X, Label: label})
					}
				}
			}
		}
	}
	return ticks
}

// extent returns the smallest and the largest loss of all panels.
func (f *Figure) extent() (low, high float64) {
	some := false
	for _, line := range f.Panels {
		for _, p := range line {
			for _, c := range p.Curves {
				for _, at := range c.Points {
					if !some {
						low, high, some = at.X, at.X, true
					}
					low, high = min(low, at.X), max(high, at.X)
				}
			}
		}
	}
	return low, high
}

// add draws a curve: a line, its points, and their intervals if they have any.
func add(drawn *plot.Plot, c Curve, key *key) {
	if len(c.Points) == 0 {
		return
	}
	bars := intervals{}
	for _, p := range c.Points {
		bars.XYs = append(bars.XYs, plotter.XY{X: p.X, Y: p.Y})
		bars.YErrors = append(bars.YErrors, struct{ Low, High float64 }{p.Y - p.Low, p.High - p.Y})
	}
	line, points, err := plotter.NewLinePoints(bars.XYs)
	if err != nil {
		panic("figure: " + err.Error()) // finite numbers, at least one
	}
	line.LineStyle = styleOf(slices.Index(key.curves, c.Name))
	points.Color, points.Radius, points.Shape = line.Color, vg.Points(1.6), draw.CircleGlyph{}
	drawn.Add(line, points)
	if c.Points[0].Repeats < 2 {
		return
	}
	spread, err := plotter.NewYErrorBars(bars)
	if err != nil {
		panic("figure: " + err.Error())
	}
	spread.Color, spread.Width, spread.CapWidth = line.Color, vg.Points(0.6), vg.Points(3)
	drawn.Add(spread)
}

// intervals holds points with the distances to their lower and upper bounds.
type intervals struct {
	plotter.XYs
	plotter.YErrors
}
