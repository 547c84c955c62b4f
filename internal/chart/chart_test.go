package chart

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/hearsay-dp/hearsay/internal/draws"
)

// texts parses an SVG and returns its texts and how many elements it has of
// each name. Every coordinate is a number inside the picture.
func texts(t interface{ Fatalf(string, ...any) }, svg string, wide, high float64) (list []string, elements map[string]int) {
	elements = map[string]int{}
	decoder := xml.NewDecoder(strings.NewReader(svg))
	inside := false
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return list, elements
		}
		if err != nil {
			t.Fatalf("%v in %s", err, svg)
		}
		switch e := token.(type) {
		case xml.StartElement:
			elements[e.Name.Local]++
			inside = e.Name.Local == "text"
			for _, a := range e.Attr {
				if a.Name.Local == "points" {
					checkPoints(t, a.Value, wide, high)
				}
			}
		case xml.CharData:
			if inside {
				list = append(list, string(e))
			}
		case xml.EndElement:
			inside = false
		}
	}
}

func checkPoints(t interface{ Fatalf(string, ...any) }, points string, wide, high float64) {
	for p := range strings.FieldsSeq(points) {
		x, y, _ := strings.Cut(p, ",")
		at, err1 := strconv.ParseFloat(x, 64)
		to, err2 := strconv.ParseFloat(y, 64)
		if err1 != nil || err2 != nil || !(at >= 0 && at <= wide && to >= 0 && to <= high) {
			t.Fatalf("point %s lies outside of %g x %g", p, wide, high)
		}
	}
}

// Whatever the numbers, a chart is well-formed, inside its picture, and has
// ticks on both axes.
func TestChartsOfAnyNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := &Chart{Width: 400, Height: 250, X: "x", Y: "<y>", LogY: rapid.Bool().Draw(t, "log"), Ink: "#000", Grid: "#ccc", Label: 12, Small: 11}
		scale := math.Pow(10, rapid.Float64Range(-9, 9).Draw(t, "scale"))
		if c.LogY {
			c.TicksY = Decades(short, 1, 2, 5)
		}
		for k := range rapid.IntRange(1, 3).Draw(t, "series") {
			var line, low []Point
			for range rapid.IntRange(1, 9).Draw(t, "points") {
				p := Point{rapid.Float64Range(-5, 1e6).Draw(t, "x"), scale * rapid.Float64Range(0.001, 7).Draw(t, "y")}
				line, low = append(line, p), append(low, Point{p.X, p.Y / 2})
			}
			c.Band(low, line, "#eee")
			c.Line(line, Stroke{"#123456", 1, []float64{3, 2}}, strconv.Itoa(k)+" & more")
			c.Dots(line, "red", 2)
			c.Bars(low, line, Stroke{Color: "red", Width: 1})
			c.Rule(line[0].Y, Stroke{Color: "blue", Width: 1})
		}
		list, elements := texts(t, SVG(1, c), 400, 250)
		if elements["polyline"] == 0 || elements["polygon"] == 0 || elements["circle"] == 0 || len(list) < 4 {
			t.Fatalf("texts %q, elements %v", list, elements)
		}
	})
}

func TestNiceTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{0, 1, "0 0.2 0.4 0.6 0.8 1"}, {0, 20000, "0 5000 10000 15000 20000"}, {0.31, 0.34, "0.31 0.32 0.33 0.34"}, {3, 3, "3"},
	} {
		var labels []string
		for _, tick := range Nice(c.low, c.high) {
			labels = append(labels, tick.Label)
		}
		if got := strings.Join(labels, " "); got != c.want {
			t.Errorf("from %g to %g: %s, want %s", c.low, c.high, got, c.want)
		}
	}
}
