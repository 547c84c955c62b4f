package papers

import (
	"io"

	"github.com/hearsay-dp/hearsay/internal/chart"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// A Chart is a figure of panels, two in a row, that is written to NAME.svg.
type Chart struct {
	Name   string  `json:"name"`
	Panels []Panel `json:"panels"`
}

// A Panel has one pair of axes; Y is logarithmic unless Linear.
type Panel struct {
	Title string `json:"title"`
	X     string `json:"x"`
	Y     string `json:"y"`
	Lines []Line `json:"lines"`

	Linear bool     `json:"linear,omitempty"`
	Graph  bool     `json:"graph,omitempty"`  // nodes and edges: no ticks, and larger dots if they are few
	Images []Image  `json:"images,omitempty"` // drawn over the lines
	Rows   []string `json:"rows,omitempty"`   // names of the heights 0, -1 and so on; nil: numbers
}

// An Image is drawn with its centre at X and Y, in a frame of the palette's colour Frame.
type Image struct {
	X     float64 `json:"x"`
	Y     float64 `json:"y"`
	URI   string  `json:"uri"`
	Frame int     `json:"frame"`
}

// imageSide is the side of a drawn image in pixels.
const imageSide = 28.0

// A Line is drawn through its points. Low and High, the range over averaged
// values, are drawn as bars if they are not nil. Dashed lines are gossip's.
type Line struct {
	Name   string    `json:"name"`
	X      []float64 `json:"x"`
	Y      []float64 `json:"y"`
	Low    []float64 `json:"low,omitempty"`
	High   []float64 `json:"high,omitempty"`
	Dashed bool      `json:"dashed"`

	Dots     bool `json:"dots,omitempty"`     // drawn as dots
	Segments bool `json:"segments,omitempty"` // each two points are joined, and no others: edges of a graph
	Shade    int  `json:"shade,omitempty"`    // step of the scale from light to dark, from 1 on; 0: the palette
}

// leastDrawn is the lower end of logarithmic axes. Smaller values are not
// drawn.
const leastDrawn = 1e-6

// WriteSVG draws the chart.
func (c Chart) WriteSVG(w io.Writer) error {
	panels := make([]*chart.Chart, len(c.Panels))
	for k, panel := range c.Panels {
		panels[k] = panel.draw()
	}
	_, err := io.WriteString(w, chart.SVG(min(2, len(panels)), panels...))
	return err
}

func (panel Panel) draw() *chart.Chart {
	c := newChart(panel.Title, panel.X, panel.Y, 416, 302)
	c.TicksY, c.Small = chart.Decades(decimal, 1), 9
	c.Spare = chart.Spare{X: 1.02, Y: 4} // room for the legend
	if panel.Linear {
		c.LogY, c.TicksY, c.Spare.Y = false, nil, 1.2
	}
	radius := 1.6
	if panel.Graph {
		bare := func(float64, float64) []chart.Tick { return nil }
		c.TicksX, c.TicksY, radius = bare, bare, panel.radius()
	}
	for i, line := range panel.Lines {
		line.draw(c, i, panel.Linear, radius)
	}
	for _, i := range panel.Images {
		c.Image(chart.Point{X: i.X, Y: i.Y}, imageSide, i.URI, chart.Stroke{Color: palette[i.Frame%len(palette)], Width: 2})
	}
	if panel.Rows != nil {
		panel.rows(c)
	}
	return c
}

// rows makes room for rows of images, and names them.
func (panel Panel) rows(c *chart.Chart) {
	c.Height, c.Spare, c.GridX = 70+float64(1.15*imageSide*float64(len(panel.Rows))), chart.Spare{}, false
	columns, end := chart.Point{X: math.Inf(1)}, 0.5-float64(len(panel.Rows))
	for _, i := range panel.Images {
		columns = chart.Point{X: min(columns.X, i.X), Y: max(columns.Y, i.X)}
	}
	if len(panel.Images) > 0 {
		c.Width = 110 + float64(1.15*imageSide*(columns.Y-columns.X+1))
		c.Line([]chart.Point{{X: columns.X - 0.5, Y: 0.5}, {X: columns.Y + 0.5, Y: end}}, chart.Stroke{Color: "none"}, "")
	}
	c.TicksY = func(float64, float64) (ticks []chart.Tick) {
		for k, name := range panel.Rows {
			ticks = append(ticks, chart.Tick{Value: float64(-k), Label: name})
		}
		return ticks
	}
}

// radius returns the radius of the nodes of a graph in pixels.
func (panel Panel) radius() float64 {
	nodes := 0
	for _, l := range panel.Lines {
		if l.Dots {
			nodes += len(l.X)
		}
	}
	return min(5, max(1.8, 28/math.Sqrt(float64(nodes))))
}

// draw draws the line in colour i of the palette. radius is that of dots.
func (l Line) draw(c *chart.Chart, i int, linear bool, radius float64) {
	points := l.drawn(linear)
	if len(points) == 0 {
		return
	}
	stroke := chart.Stroke{Color: palette[i%len(palette)], Width: 1.4}
	if l.Shade > 0 {
		stroke.Color = scale[(l.Shade-1)%len(scale)]
	}
	if l.Dashed {
		stroke.Dashes = []float64{5, 2}
	}
	switch {
	case l.Segments:
		for k := 0; k+1 < len(points); k += 2 {
			c.Line(points[k:k+2], chart.Stroke{Color: "#bbb", Width: 0.5}, "")
		}
		return
	case l.Dots:
		c.Dots(points, stroke.Color, radius)
		c.Line(points[:1], stroke, l.Name) // for the legend
		return
	}
	c.Line(points, stroke, l.Name)
	if l.Low != nil {
		low, high := l.bars()
		c.Bars(low, high, chart.Stroke{Color: stroke.Color, Width: 0.6})
	}
}

// drawn returns the points that an axis can show.
func (l Line) drawn(linear bool) (points []chart.Point) {
	for i, y := range l.Y {
		if visible(y) || linear && !math.IsNaN(y) && !math.IsInf(y, 0) {
			points = append(points, chart.Point{X: l.X[i], Y: y})
		}
	}
	return points
}

// bars returns bars from Low to High around the drawn points.
func (l Line) bars() (low, high []chart.Point) {
	for i, y := range l.Y {
		if visible(y) {
			low = append(low, chart.Point{X: l.X[i], Y: max(leastDrawn, l.Low[i])})
			high = append(high, chart.Point{X: l.X[i], Y: l.High[i]})
		}
	}
	return low, high
}

func visible(y float64) bool { return y >= leastDrawn && !math.IsInf(y, 1) }
