// Package chart draws lines, bands, dots and bars over a pair of axes as SVG, in the few ways that reports and papers need.
// Fonts are left to the viewer.
package chart

import (
	"fmt"
	"html"
	"strings"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// A Point is one of a series, in the units of the axes.
type Point struct{ X, Y float64 }

// A Stroke is the style of a line: a CSS colour, a width in pixels, and lengths of dashes and gaps, none for a solid line.
type Stroke struct {
	Color  string
	Width  float64
	Dashes []float64
}

// A Chart is a pair of axes with the marks drawn over them, in order. Series must have finite coordinates, and positive ones if
// LogY is set.
type Chart struct {
	Width, Height  float64 // pixels
	Title, X, Y    string
	LogY           bool
	TicksX, TicksY Ticker  // nil: Nice
	Ink, Grid      string  // CSS colours of text, and of axes and grid
	GridX          bool    // vertical lines too
	Label, Small   float64 // font sizes of names, and of ticks and legend, in pixels
	Spare          Spare

	marks  []mark
	legend []entry
	low    Point // the range of the marks
	high   Point
	some   bool
}

// Spare holds the factors by which the axes reach further than the marks, to make room for a legend. 0 means 1.
type Spare struct{ X, Y float64 }

type mark func(b *strings.Builder, at func(Point) Point)

type entry struct {
	name   string
	stroke Stroke
}

// Line draws a line through points. With a name it is in the legend.
func (c *Chart) Line(points []Point, s Stroke, name string) {
	c.cover(points...)
	if name != "" {
		c.legend = append(c.legend, entry{name, s})
	}
	c.marks = append(c.marks, func(b *strings.Builder, at func(Point) Point) {
		fmt.Fprintf(b, `<polyline points="%s" style="fill:none;%s"/>`, path(points, at), s.css())
	})
}

// Band fills the area between two series.
func (c *Chart) Band(low, high []Point, fill string) {
	c.cover(low...)
	c.cover(high...)
	outline := append([]Point{}, high...)
	for k := len(low) - 1; k >= 0; k-- {
		outline = append(outline, low[k])
	}
	c.marks = append(c.marks, func(b *strings.Builder, at func(Point) Point) {
		fmt.Fprintf(b, `<polygon points="%s" style="fill:%s"/>`, path(outline, at), fill)
	})
}

// Dots draws a disc at each point.
func (c *Chart) Dots(points []Point, fill string, radius float64) {
	c.cover(points...)
	c.marks = append(c.marks, func(b *strings.Builder, at func(Point) Point) {
		for _, p := range points {
			q := at(p)
			fmt.Fprintf(b, `<circle cx="%s" cy="%s" r="%s" style="fill:%s"/>`, short(q.X), short(q.Y), short(radius), fill)
		}
	})
}

// Rings draws an empty circle at each point.
func (c *Chart) Rings(points []Point, s Stroke, radius float64) {
	c.cover(points...)
	c.marks = append(c.marks, func(b *strings.Builder, at func(Point) Point) {
		for _, p := range points {
			q := at(p)
			fmt.Fprintf(b, `<circle cx="%s" cy="%s" r="%s" style="fill:none;%s"/>`, short(q.X), short(q.Y), short(radius), s.css())
		}
	})
}

// Bars draws an upright bar with caps between low[k] and high[k].
func (c *Chart) Bars(low, high []Point, s Stroke) {
	c.cover(low...)
	c.cover(high...)
	c.marks = append(c.marks, func(b *strings.Builder, at func(Point) Point) {
		for k := range low {
			p, q := at(low[k]), at(high[k])
			fmt.Fprintf(b, `<path d="M%s %sh3m-1.5 0V%sm-1.5 0h3" style="fill:none;%s"/>`, short(p.X-1.5), short(p.Y), short(q.Y), s.css())
		}
	})
}

// Rule draws a level line across the chart.
func (c *Chart) Rule(y float64, s Stroke) {
	if c.some {
		c.cover(Point{c.low.X, y})
	}
	c.marks = append(c.marks, func(b *strings.Builder, at func(Point) Point) {
		fmt.Fprintf(b, `<polyline points="%s" style="fill:none;%s"/>`, path([]Point{{c.low.X, y}, {c.high.X, y}}, at), s.css())
	})
}

// Pad moves the ends of a logarithmic vertical axis apart by a factor, and those of a horizontal axis without length by 1/2.
func (c *Chart) Pad(factor float64) {
	c.low.Y, c.high.Y = c.low.Y/factor, c.high.Y*factor
	if c.low.X == c.high.X {
		c.low.X, c.high.X = c.low.X-0.5, c.high.X+0.5
	}
}

func (c *Chart) cover(points ...Point) {
	for _, p := range points {
		if !c.some {
			c.low, c.high, c.some = p, p, true
		}
		c.low = Point{min(c.low.X, p.X), min(c.low.Y, p.Y)}
		c.high = Point{max(c.high.X, p.X), max(c.high.Y, p.Y)}
	}
}

func (s Stroke) css() string {
	text := "stroke:" + s.Color + ";stroke-width:" + short(s.Width)
	for k, d := range s.Dashes {
		text += []string{";stroke-dasharray:", " "}[min(k, 1)] + short(d)
	}
	return text
}

func path(points []Point, at func(Point) Point) string {
	var b strings.Builder
	for k, p := range points {
		if k > 0 {
			b.WriteByte(' ')
		}
		q := at(p)
		b.WriteString(short(q.X) + "," + short(q.Y))
	}
	return b.String()
}

// short writes a coordinate to a hundredth of a pixel.
func short(x float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", math.Round(x*100)/100+0), "0"), ".")
}

// SVG returns charts as one picture, in rows of columns charts.
func SVG(columns int, charts ...*Chart) string {
	var b strings.Builder
	wide, high, row := 0.0, 0.0, 0.0
	x, y := 0.0, 0.0
	for k, c := range charts {
		if k > 0 && k%columns == 0 {
			x, y, row = 0, y+row, 0
		}
		fmt.Fprintf(&b, `<g transform="translate(%s %s)">%s</g>`, short(x), short(y), c.Body())
		x += c.Width
		row = max(row, c.Height)
		wide, high = max(wide, x), y+row
	}
	return document(wide, high, b.String())
}

// document returns a picture with these elements.
func document(wide, high float64, elements string) string {
	return fmt.Sprintf(`<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %[1]s %[2]s" font-family="Liberation Sans, Arial, Helvetica, sans-serif">
<rect width="%[1]s" height="%[2]s" fill="#fff"/>%[3]s</svg>
`, short(wide), short(high), elements)
}

func (c *Chart) text(b *strings.Builder, x, y, size float64, anchor, more, text string) {
	write(b, c.Ink, x, y, size, anchor, more, text)
}

func write(b *strings.Builder, ink string, x, y, size float64, anchor, more, text string) {
	fmt.Fprintf(b, `<text x="%s" y="%s" text-anchor="%s"%s style="font-size:%spx;fill:%s">%s</text>`,
		short(x), short(y), anchor, more, short(size), ink, html.EscapeString(text))
}
