package papers

import (
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A Chart is a figure of panels, two a row, that goes to NAME.svg.
type Chart struct {
	Name   string  `json:"name"`
	Panels []Panel `json:"panels"`
}

// A Panel has one pair of axes; Y is logarithmic.
type Panel struct {
	Title string `json:"title"`
	X     string `json:"x"`
	Y     string `json:"y"`
	Lines []Line `json:"lines"`
}

// A Line is drawn through its points. Low and High, the range over what is
// averaged, are drawn as bars if they are not nil. Dashed lines are gossip's.
type Line struct {
	Name   string    `json:"name"`
	X      []float64 `json:"x"`
	Y      []float64 `json:"y"`
	Low    []float64 `json:"low,omitempty"`
	High   []float64 `json:"high,omitempty"`
	Dashed bool      `json:"dashed"`
}

// leastDrawn is where logarithmic axes end; what is less is not drawn.
const leastDrawn = 1e-6

// WriteSVG draws the chart.
func (c Chart) WriteSVG(w io.Writer) error {
	columns := min(2, len(c.Panels))
	rows := (len(c.Panels) + columns - 1) / columns
	grid := make([][]*plot.Plot, rows)
	for r := range grid {
		grid[r] = make([]*plot.Plot, columns)
	}
	for i, panel := range c.Panels {
		p, err := panel.plot()
		if err != nil {
			return err
		}
		grid[i/columns][i%columns] = p
	}
	canvas := vgsvg.New(vg.Length(columns)*11*vg.Centimeter, vg.Length(rows)*8*vg.Centimeter)
	tiles := draw.Tiles{Rows: rows, Cols: columns, PadX: 8, PadY: 8, PadTop: 6, PadBottom: 6, PadLeft: 6, PadRight: 6}
	for r, row := range plot.Align(grid, tiles, draw.New(canvas)) {
		for k, area := range row {
			if grid[r][k] != nil {
				grid[r][k].Draw(area)
			}
		}
	}
	_, err := canvas.WriteTo(w)
	return err
}

func (panel Panel) plot() (*plot.Plot, error) {
	p := newPlot(panel.Title)
	p.X.Label.Text, p.Y.Label.Text = panel.X, panel.Y
	p.Y.Tick.Marker = decades{}
	p.Legend.YPosition = draw.PosTop
	p.Legend.TextStyle.Font.Size = 7
	for _, f := range []*font.Font{&p.X.Label.TextStyle.Font, &p.Y.Label.TextStyle.Font, &p.Title.TextStyle.Font} {
		f.Size = 9
	}
	for i, line := range panel.Lines {
		if err := line.add(p, i); err != nil {
			return nil, err
		}
	}
	p.X.Max *= 1.02
	p.Y.Max *= 4 // room for the legend
	return p, nil
}

// add draws the line in colour i of the palette.
func (l Line) add(p *plot.Plot, i int) error {
	points := l.drawn()
	if len(points) == 0 {
		return nil
	}
	drawn, err := plotter.NewLine(points)
	if err != nil {
		return err
	}
	drawn.Color, drawn.Width = palette[i%len(palette)], 1.4
	if l.Dashed {
		drawn.Dashes = []vg.Length{5, 2}
	}
	p.Add(drawn)
	p.Legend.Add(l.Name, drawn)
	if l.Low == nil {
		return nil
	}
	bars, err := plotter.NewYErrorBars(l.bars())
	if err != nil {
		return err
	}
	bars.Color, bars.Width, bars.CapWidth = drawn.Color, 0.6, 3
	p.Add(bars)
	return nil
}

// drawn are the points that a logarithmic axis can show.
func (l Line) drawn() (points plotter.XYs) {
	for i, y := range l.Y {
		if y >= leastDrawn && !math.IsInf(y, 1) {
			points = append(points, plotter.XY{X: l.X[i], Y: y})
		}
	}
	return points
}

// bars reach from Low to High around the points that are drawn.
func (l Line) bars() (b struct {
	plotter.XYs
	plotter.YErrors
}) {
	for i, y := range l.Y {
		if y >= leastDrawn && !math.IsInf(y, 1) {
			b.XYs = append(b.XYs, plotter.XY{X: l.X[i], Y: y})
			b.YErrors = append(b.YErrors, struct{ Low, High float64 }{y - max(leastDrawn, l.Low[i]), l.High[i] - y})
		}
	}
	return b
}

// decades puts ticks at powers of ten.
type decades struct{}

// Ticks implements plot.Ticker.
func (decades) Ticks(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	for k := math.Floor(math.Log10(low)); k <= math.Ceil(math.Log10(high)); k++ {
		if x := math.Pow(10, k); x >= low && x <= high {
			ticks = append(ticks, plot.Tick{Value: x, Label: decimal(x)})
		}
	}
	return ticks
}
