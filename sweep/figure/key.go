package figure

import (
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A key is the legend below all panels. A curve has the same colour in every panel.
type key struct {
	curves []string // names over all panels, each once
	names  []string // names as encoded for the format
	style  draw.TextStyle
}

// thumbnail is the width of a line in the key. gap is the space beside a name and above the rows of names.
var thumbnail, gap = vg.Points(14), vg.Points(6)

func (f *Figure) key(say func(string) string) *key {
	k := &key{style: plot.NewLegend().TextStyle}
	k.style.Font.Size, k.style.YAlign = vg.Points(small), draw.YCenter
	for _, line := range f.Panels {
		for _, p := range line {
			for _, c := range p.Curves {
				if !slices.Contains(k.curves, c.Name) {
					k.curves, k.names = append(k.curves, c.Name), append(k.names, say(c.Name))
				}
			}
		}
	}
	return k
}

// styleOf returns the line style of the curve at a place of the key. After the last colour the colours repeat,
// dashed.
func styleOf(place int) draw.LineStyle {
	style := draw.LineStyle{Color: colours[place%len(colours)], Width: vg.Points(1)}
	if place >= len(colours) {
		style.Dashes = []vg.Length{vg.Points(3), vg.Points(2)}
	}
	return style
}

// cell returns the width and height of a name with its line. It leaves extra width, because a viewer without the
// font may use a wider one.
func (k *key) cell() (width, height vg.Length) {
	for _, name := range k.names {
		width = max(width, k.style.Width(name))
	}
	return vg.Length(1.15*width) + thumbnail + vg.Length(3*gap), k.style.Height("Xg") + vg.Length(gap/2)
}

// columns returns the number of columns of names that fit into width, and of rows that they need.
func (k *key) columns(width vg.Length) (columns, rows int) {
	if len(k.names) == 0 {
		return 1, 0
	}
	cell, _ := k.cell()
	columns = min(len(k.names), max(1, int(width/cell)))
	return columns, (len(k.names) + columns - 1) / columns
}

func (k *key) height(width vg.Length) vg.Length {
	_, rows := k.columns(width)
	_, cell := k.cell()
	if rows == 0 {
		return 0
	}
	return vg.Length(cell*vg.Length(rows)) + gap
}

// draw writes the names row by row from the top of a canvas.
func (k *key) draw(c draw.Canvas) {
	columns, _ := k.columns(c.Max.X - c.Min.X)
	width, height := k.cell()
	for i, name := range k.names {
		x, y := c.Min.X+gap+vg.Length(width*vg.Length(i%columns)), c.Max.Y-vg.Length(height*(vg.Length(i/columns)+0.5))
		style := styleOf(i)
		c.StrokeLine2(style, x, y, x+thumbnail, y)
		c.DrawGlyph(draw.GlyphStyle{Color: style.Color, Radius: vg.Points(1.6), Shape: draw.CircleGlyph{}}, vg.Point{X: x + vg.Length(thumbnail/2), Y: y})
		c.FillText(k.style, vg.Point{X: x + thumbnail + gap, Y: y}, name)
	}
}
