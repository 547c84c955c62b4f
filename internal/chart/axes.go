package chart

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// A Tick is a labelled place on an axis.
type Tick struct {
	Value float64
	Label string
}

// A Ticker chooses ticks from low to high.
type Ticker func(low, high float64) []Tick

// Nice returns about five ticks at multiples of 1, 2 or 5 times a power of ten.
func Nice(low, high float64) []Tick {
	span := high - low
	if !(span > 0) {
		return []Tick{{low, strconv.FormatFloat(low, 'g', 4, 64)}}
	}
	step := math.Pow(10, math.Floor(math.Log10(span/5)))
	for _, m := range []float64{2, 2.5, 2} { // 2, 5, 10 times
		if span/step > 6 {
			step *= m
		}
	}
	var ticks []Tick
	for k := math.Ceil(low/step-1e-9) + 0; k*step <= high+float64(1e-9*step); k++ {
		ticks = append(ticks, Tick{k * step, strconv.FormatFloat(k*step, 'g', 6, 64)})
	}
	return ticks
}

// Decades returns a Ticker with ticks at powers of ten times each of steps (1 for none between).
func Decades(label func(x float64) string, steps ...float64) Ticker {
	return func(low, high float64) []Tick {
		var ticks []Tick
		for k := math.Floor(math.Log10(low)); k <= math.Ceil(math.Log10(high)); k++ {
			for _, m := range steps {
				if x := m * math.Pow(10, k); x >= low*(1-1e-9) && x <= high*(1+1e-9) {
					ticks = append(ticks, Tick{x, label(x)})
				}
			}
		}
		return ticks
	}
}

// width estimates the width of a text at a font size. Most letters and digits are narrower than 0.56 of the size.
func width(text string, size float64) float64 {
	return float64(0.56 * size * float64(utf8.RuneCountInString(text)))
}

// A frame holds the places of the axes on the chart and maps values to places.
type frame struct {
	left, right, top, bottom float64
	low, high                Point
	logY                     bool
}

func (f frame) at(p Point) Point {
	return Point{
		f.left + float64((p.X-f.low.X)/(f.high.X-f.low.X)*(f.right-f.left)),
		f.bottom - float64((f.scale(p.Y)-f.scale(f.low.Y))/(f.scale(f.high.Y)-f.scale(f.low.Y))*(f.bottom-f.top)),
	}
}

func (f frame) scale(y float64) float64 {
	if f.logY {
		return math.Log(y)
	}
	return y
}

// Body returns the chart's elements, without an svg element around them.
func (c *Chart) Body() string {
	f := frame{low: c.low, high: c.high, logY: c.LogY}
	if c.Spare.X > 0 {
		f.high.X = float64(f.high.X * c.Spare.X)
	}
	if c.Spare.Y > 0 {
		f.high.Y = float64(f.high.Y * c.Spare.Y)
	}
	if !(f.high.X > f.low.X) {
		f.low.X, f.high.X = f.low.X-0.5, f.high.X+0.5
	}
	if !(f.high.Y > f.low.Y) && c.LogY {
		f.low.Y, f.high.Y = f.low.Y/1.3, float64(f.high.Y*1.3)
	} else if !(f.high.Y > f.low.Y) {
		f.low.Y, f.high.Y = f.low.Y-0.5, f.high.Y+0.5
	}
	xs, ys := ticks(c.TicksX, f.low.X, f.high.X), ticks(c.TicksY, f.low.Y, f.high.Y)
	widest := 0.0
	for _, t := range ys {
		widest = max(widest, width(t.Label, c.Small))
	}
	f.left, f.right = float64(c.Label*1.6)+widest+8, c.Width-12
	f.top, f.bottom = float64(c.Small*0.9), c.Height-float64(c.Small*1.4)-float64(c.Label*1.7)-4
	if c.Title != "" {
		f.top += float64(c.Label * 1.5)
	}
	var b strings.Builder
	c.axes(&b, f, xs, ys)
	for _, m := range c.marks {
		m(&b, f.at)
	}
	c.writeLegend(&b, f)
	return b.String()
}

func ticks(t Ticker, low, high float64) []Tick {
	if t == nil {
		t = Nice
	}
	return t(low, high)
}

// axes draws the grid, the ticks and the names.
func (c *Chart) axes(b *strings.Builder, f frame, xs, ys []Tick) {
	line := func(x1, y1, x2, y2, width float64) {
		fmt.Fprintf(b, `<path d="M%s %sL%s %s" style="stroke:%s;stroke-width:%s"/>`, short(x1), short(y1), short(x2), short(y2), c.Grid, short(width))
	}
	for _, t := range ys {
		y := f.at(Point{f.low.X, t.Value}).Y
		line(f.left, y, f.right, y, 0.6)
		c.text(b, f.left-6, y+float64(c.Small*0.35), c.Small, "end", "", t.Label)
	}
	for _, t := range xs {
		x := f.at(Point{t.Value, f.low.Y}).X
		if c.GridX {
			line(x, f.top, x, f.bottom, 0.6)
		}
		line(x, f.bottom, x, f.bottom+4, 0.8)
		c.text(b, x, f.bottom+4+c.Small, c.Small, "middle", "", t.Label)
	}
	line(f.left, f.bottom, f.right, f.bottom, 0.8)
	c.text(b, (f.left+f.right)/2, c.Height-float64(c.Label*0.5), c.Label, "middle", "", c.X)
	x, y := c.Label, (f.top+f.bottom)/2
	c.text(b, x, y, c.Label, "middle", fmt.Sprintf(` transform="rotate(-90 %s %s)"`, short(x), short(y)), c.Y)
	if c.Title != "" {
		c.text(b, (f.left+f.right)/2, c.Label*1.2, c.Label, "middle", "", c.Title)
	}
}

// writeLegend lists names with their strokes in the upper right corner.
func (c *Chart) writeLegend(b *strings.Builder, f frame) {
	for k, e := range c.legend {
		y := f.top + float64(c.Small*(0.8+float64(1.25*float64(k))))
		fmt.Fprintf(b, `<path d="M%s %sh22" style="fill:none;%s"/>`, short(f.right-22), short(y), e.stroke.css())
		c.text(b, f.right-27, y+float64(c.Small*0.35), c.Small, "end", "", e.name)
	}
}
