package figure

import (
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A key says under all panels which curve has which colour. A curve has the same in every panel.
type key struct {
	curves []string // names, each once, in their order over all panels
	names  []string // as they are written
	style  draw.TextStyle
}

// thumbnail and gap are the width of a line in a key, and what is left free beside a name and above a row of names.
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

// styleOf is the line of the curve at a place of the key: colours come again, dashed.
func styleOf(place int) draw.LineStyle {
	style := draw.LineStyle{Color: colours[place%len(colours)], Width: vg.Points(1)}
	if place >= len(colours) {
		style.Dashes = []vg.Length{vg.Points(3), vg.Points(2)}
	}
	return style
}

// cell is the width and the height of a name with its line. A viewer without the font takes one that may be wider.
func (k *key) cell() (width, height vg.Length) {
	for _, name := range k.names {
		width = max(width, k.style.Width(name))
	}
	return vg.Length(1.15*width) + thumbnail + vg.Length(3*gap), k.style.Height("Xg") + vg.Length(gap/2)
}

// columns of names that a width has room for, and rows that they make.
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
