package chart

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// A Lattice is a picture of discs in rows and columns, joined by ribbons from one column to the next, with bars along the right
// and the bottom. A bar below 0 is not drawn. The area of a disc is its Size, and Filled of it is filled.
type Lattice struct {
	Title, Foot          []string // lines
	Rows, Columns        []string // their names
	Discs                []Disc
	Ribbons              []Ribbon
	RowBars, ColumnBars  []float64 // one a row and one a column; nil: none
	RowTitle, ColumnsBar string    // the quantities of the bars
	Key                  []Key
	Ink, Grid            string // CSS colours of text, and of lines
}

// A Disc of Size, of which Filled is drawn in Fill.
type Disc struct {
	Row, Column  int
	Size, Filled float64
	Fill         string
	Entered      bool // an arrow points at it from above
}

// A Ribbon joins the disc of a row and column with one of the next column. Width
// 0 is a hairline.
type Ribbon struct {
	Column, From, To int
	Width            float64
	Dashed           bool
}

// A Key explains a sign: a disc of a colour, or a ribbon of width 1 if it has none.
type Key struct{ Fill, Text string }

// Sizes of a lattice in pixels.
const (
	latticeStep   = 92.0 // between columns
	latticeRow    = 54.0 // between rows
	latticeRadius = 19.0 // of the largest disc
	latticeBand   = 13.0 // of the widest ribbon
	latticeBar    = 120.0
	latticeFont   = 13.0
	ribbonColour  = "#9a9a9a"
)

// A place holds the margins of the picture.
type place struct{ left, top, right, bottom float64 }

func (p place) x(column int) float64 { return p.left + float64(latticeStep*(float64(column)+0.5)) }
func (p place) y(row int) float64    { return p.top + float64(latticeRow*(float64(row)+0.5)) }

// SVG returns the lattice as a picture.
func (l *Lattice) SVG() string {
	name := 0.0
	for _, row := range l.Rows {
		name = max(name, width(row, latticeFont))
	}
	p := place{left: name + 30, top: 22 + float64(20*float64(len(l.Title))) + 30}
	p.right, p.bottom = p.left+float64(latticeStep*float64(len(l.Columns))), p.top+float64(latticeRow*float64(len(l.Rows)))
	wide, high := p.right+20, p.bottom+16
	if l.RowBars != nil {
		wide = p.right + latticeBar + 90
	}
	if l.ColumnBars != nil {
		high = p.bottom + latticeBar*0.6 + 52
	}
	for _, line := range append(slices.Clone(l.Title), l.Foot...) {
		wide = max(wide, width(line, latticeFont)+40)
	}
	keys := high
	high += float64(24*float64(len(l.Key))) + float64(19*float64(len(l.Foot))) + 14
	var b strings.Builder
	for k, line := range l.Title {
		l.text(&b, 20, 26+float64(20*float64(k)), []float64{16, latticeFont}[min(k, 1)], "start", line)
	}
	l.names(&b, p)
	for _, r := range l.Ribbons {
		l.ribbon(&b, p, r)
	}
	for _, d := range l.Discs {
		l.disc(&b, p, d)
	}
	l.rowBars(&b, p)
	l.columnBars(&b, p)
	for k, key := range l.Key {
		l.key(&b, key, keys+float64(24*float64(k)))
	}
	for k, line := range l.Foot {
		l.text(&b, 20, keys+float64(24*float64(len(l.Key)))+float64(19*float64(k))+8, latticeFont, "start", line)
	}
	return document(wide, high, b.String())
}

func (l *Lattice) text(b *strings.Builder, x, y, size float64, anchor, text string) {
	write(b, l.Ink, x, y, size, anchor, "", text)
}

func (l *Lattice) names(b *strings.Builder, p place) {
	for k, row := range l.Rows {
		l.text(b, p.left-14, p.y(k)+4.5, latticeFont, "end", row)
		fmt.Fprintf(b, `<path d="M%s %sH%s" style="stroke:%s;stroke-width:0.6"/>`, short(p.left), short(p.y(k)), short(p.right), l.Grid)
	}
	for k, column := range l.Columns {
		l.text(b, p.x(k), p.top-16, latticeFont, "middle", column)
	}
}

// largest returns the largest size of a disc, or width of a ribbon. It returns 1 if there is none.
func largest[T any](all []T, of func(T) float64) float64 {
	most := 0.0
	for _, x := range all {
		most = max(most, of(x))
	}
	if most == 0 {
		return 1
	}
	return most
}

func (l *Lattice) ribbon(b *strings.Builder, p place, r Ribbon) {
	x, y, toX, toY := p.x(r.Column), p.y(r.From), p.x(r.Column+1), p.y(r.To)
	wide := latticeBand * r.Width / largest(l.Ribbons, func(r Ribbon) float64 { return r.Width })
	style := "stroke:" + ribbonColour + ";stroke-opacity:0.55;stroke-width:" + short(max(wide, 0.5))
	if r.Dashed {
		style = "stroke:" + ribbonColour + ";stroke-width:0.9;stroke-dasharray:2 4"
	}
	bend := latticeStep * 0.45
	fmt.Fprintf(b, `<path d="M%s %sC%s %s %s %s %s %s" style="fill:none;%s"/>`, short(x), short(y), short(x+bend), short(y),
		short(toX-bend), short(toY), short(toX), short(toY), style)
}

func (l *Lattice) disc(b *strings.Builder, p place, d Disc) {
	scale := latticeRadius / math.Sqrt(largest(l.Discs, func(d Disc) float64 { return d.Size }))
	x, y, radius := p.x(d.Column), p.y(d.Row), scale*math.Sqrt(d.Size)
	if d.Entered {
		top := y - max(radius, 4) - 3
		fmt.Fprintf(b, `<path d="M%s %sV%sm-4 -6l4 6l4 -6" style="fill:none;stroke:%s;stroke-width:1.8"/>`, short(x), short(top-15), short(top), l.Ink)
	}
	fmt.Fprintf(b, `<circle cx="%s" cy="%s" r="%s" style="fill:#fff;stroke:%s;stroke-width:1.2"/>`, short(x), short(y), short(max(radius, 1)), l.Ink)
	if filled := scale * math.Sqrt(min(d.Filled, d.Size)); filled > 0 {
		fmt.Fprintf(b, `<circle cx="%s" cy="%s" r="%s" style="fill:%s"/>`, short(x), short(y), short(filled), d.Fill)
	}
}

func (l *Lattice) rowBars(b *strings.Builder, p place) {
	if l.RowBars == nil {
		return
	}
	most := largest(l.RowBars, func(x float64) float64 { return x })
	l.text(b, p.right+14, p.top-16, latticeFont, "start", l.RowTitle)
	for k, x := range l.RowBars {
		long := latticeBar * x / most
		fmt.Fprintf(b, `<path d="M%s %sh%sv18h-%[3]sz" style="fill:#444"/>`, short(p.right+14), short(p.y(k)-9), short(long))
		l.text(b, p.right+20+long, p.y(k)+4.5, latticeFont, "start", label(x))
	}
}

func (l *Lattice) columnBars(b *strings.Builder, p place) {
	if l.ColumnBars == nil {
		return
	}
	most, tall := largest(l.ColumnBars, func(x float64) float64 { return x }), latticeBar*0.6
	base := p.bottom + tall + 26
	l.text(b, p.left-14, base-6, latticeFont, "end", l.ColumnsBar)
	for k, x := range l.ColumnBars {
		if x < 0 {
			continue
		}
		long := tall * x / most
		fmt.Fprintf(b, `<path d="M%s %sv-%sh30v%[3]sz" style="fill:#444"/>`, short(p.x(k)-15), short(base), short(long))
		l.text(b, p.x(k), base-long-5, 11, "middle", label(x))
	}
}

// label writes a number to three digits.
func label(x float64) string {
	if x == 0 {
		return "0"
	}
	return fmt.Sprintf("%.3g", x)
}

func (l *Lattice) key(b *strings.Builder, k Key, y float64) {
	switch k.Fill {
	case "":
		fmt.Fprintf(b, `<path d="M20 %sh30" style="stroke:%s;stroke-opacity:0.55;stroke-width:8"/>`, short(y), ribbonColour)
	case "dashed":
		fmt.Fprintf(b, `<path d="M20 %sh30" style="stroke:%s;stroke-width:0.9;stroke-dasharray:2 4"/>`, short(y), ribbonColour)
	case "arrow":
		fmt.Fprintf(b, `<path d="M35 %sv14m-4 -6l4 6l4 -6" style="fill:none;stroke:%s;stroke-width:1.8"/>`, short(y-7), l.Ink)
	default:
		fmt.Fprintf(b, `<circle cx="35" cy="%s" r="8" style="fill:%s;stroke:%s;stroke-width:1.2"/>`, short(y), k.Fill, l.Ink)
	}
	l.text(b, 62, y+4.5, latticeFont, "start", k.Text)
}
