package sweep

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/hearsay-dp/hearsay/internal/chart"
	"github.com/hearsay-dp/hearsay/internal/spread"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("").Parse(pageText))

// colours are those of Okabe and Ito (2008).
var colours = []string{"#0072b2", "#d55e00", "#009e73", "#e69f00", "#cc79a7", "#56b4e9", "#000000", "#787878"}

// mostLines is the largest number of values of a field that get a line each.
const mostLines = 8

// WritePage writes the page of a sweep as one file. It shows the price of privacy, the Pareto front, and all cells.
func WritePage(w io.Writer, name string, fields []Field, rows []Row) error {
	var best []Row
	failed := 0
	for _, r := range rows {
		if r.Best {
			best = append(best, r)
		}
		if r.Error != "" {
			failed++
		}
	}
	x := LossAxis(fields)
	slices.SortStableFunc(best, func(a, b Row) int { return compare(float64(x.Of(a)), float64(x.Of(b))) })
	charts := []template.HTML{template.HTML(overview(x, rows))}
	for k, f := range fields {
		if len(f.Values) > 1 && len(f.Values) <= mostLines && (len(fields) == 1 || !strings.HasPrefix(f.Key, "privacy.")) { // privacy keys vary the loss itself
			charts = append(charts, template.HTML(frontier(x, k, f, rows)))
		}
	}
	names, same, shown := table(fields, rows)
	seeds := slices.ContainsFunc(fields, func(f Field) bool { return f.Key == "seed" && len(f.Values) > 1 })
	kinds, repeats := kindsOf(rows), 1
	for _, r := range rows {
		repeats = max(repeats, r.Repeats)
	}
	return page.Execute(w, map[string]any{"Seeds": seeds,
		"Picked": pickedOf(rows), "Kinds": kinds, "Repeats": repeats, "Caution": spread.Caution(repeats, 1), "Varies": repeatsVary, "Name": name, "Cells": len(rows), "Failed": failed, "Charts": charts, "Header": names, "Same": same, "Best": shown(best), "Rows": shown(rows),
	})
}

// table returns the columns that differ between the rows, and describes the others in words. Numbers have four digits.
func table(fields []Field, rows []Row) (names, same []string, shown func([]Row) [][]string) {
	columns := Columns(fields, rows)
	var keep []int
	for k, c := range columns {
		text, alike := "", true
		for _, v := range c.Values {
			if v == nil {
				continue
			}
			if now := brief(v); text == "" {
				text = now
			} else if now != text {
				alike = false
			}
		}
		switch {
		case text == "" && k >= len(fields): // missing in all rows
		case strings.HasSuffix(c.Name, lowColumn) || strings.HasSuffix(c.Name, highColumn): // part of the charts
		case alike && k >= len(fields) && c.Name != errorColumn && len(rows) > 1:
			same = append(same, c.Name+" "+text)
		default:
			keep, names = append(keep, k), append(names, c.Name)
		}
	}
	return names, same, func(some []Row) (records [][]string) {
		for _, r := range some {
			all := make([]string, 0, len(columns))
			for _, v := range r.Values {
				all = append(all, Plain(v))
			}
			for _, c := range found() {
				all = append(all, brief(c.value(r)))
			}
			record := make([]string, len(keep))
			for i, k := range keep {
				record[i] = all[k]
			}
			records = append(records, record)
		}
		return records
	}
}

// brief formats a value, numbers with four digits.
func brief(value any) string {
	switch x := value.(type) {
	case nil:
		return ""
	case float64:
		return short(x)
	case bool:
		if x {
			return "yes"
		}
		return "no"
	}
	return fmt.Sprint(value)
}

// newChart returns an empty chart.
func newChart(title string, x Axis, rows []Row) *chart.Chart {
	c := &chart.Chart{Width: 640, Height: 360, Title: title, X: x.Words(rows), Y: ScoreName(rows), Ink: "#000", Grid: "#bbb", GridX: true, Label: 13, Small: 11, Spare: chart.Spare{X: 1.3}}
	return c
}

// points returns the points of the rows that can be drawn, ordered by loss, and the ends of those score intervals that
// exist.
func (x Axis) points(rows []Row, which func(Row) bool) (points, low, high []chart.Point) {
	drawn := slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return r.Error != "" || !which(r) || !x.Of(r).Finite() || !r.Score.Finite() })
	slices.SortStableFunc(drawn, func(a, b Row) int { return compare(float64(x.Of(a)), float64(x.Of(b))) })
	for _, r := range drawn {
		at := float64(x.Of(r))
		points = append(points, chart.Point{X: at, Y: float64(r.Score)})
		if s := r.Spread.Score; s.Low.Finite() && s.High.Finite() {
			low, high = append(low, chart.Point{X: at, Y: float64(s.Low)}), append(high, chart.Point{X: at, Y: float64(s.High)})
		}
	}
	return points, low, high
}

// overview draws every cell, and for each kind of losses a line through the Pareto front.
func overview(x Axis, rows []Row) string {
	c := newChart("what privacy costs", x, rows)
	others, _, _ := x.points(rows, func(r Row) bool { return !r.Best })
	c.Dots(others, "#999", 3)
	kinds := kindsOf(rows)
	for i, k := range kinds {
		name := "no other beats these"
		if len(kinds) > 1 {
			name = fmt.Sprintf("kind %d: no other beats these", i+1)
		}
		x.best(c, rows, k, chart.Stroke{Color: colours[i%len(colours)], Width: 2}, name)
	}
	return chart.SVG(1, c)
}

// curve draws a line through points, with their intervals.
func (x Axis) curve(c *chart.Chart, rows []Row, which func(Row) bool, stroke chart.Stroke, name string) {
	points, low, high := x.points(rows, which)
	c.Line(points, stroke, name)
	c.Bars(low, high, chart.Stroke{Color: stroke.Color, Width: 1})
	c.Dots(points, stroke.Color, 3.5)
}

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// frontier draws scores over losses, in a colour for each value of field k. It draws all cells, and a line through the
// Pareto front of each value and kind of losses.
func frontier(x Axis, k int, f Field, rows []Row) string {
	c := newChart("by "+f.Key+": lines through what no other of the same beats", x, rows)
	labels := f.Named()
	for _, label := range labels { // room for the longest name
		c.Spare.X = max(c.Spare.X, 1.1+float64(0.03*float64(min(len(label), 30))))
	}
	for i, value := range f.Values {
		own := of(k, value, rows, x)
		stroke, name := chart.Stroke{Color: colours[i%len(colours)], Width: 1.5}, labels[i]
		for _, one := range kindsOf(own) {
			x.best(c, own, one, stroke, name)
			name = ""
		}
		rest, low, high := x.points(own, func(r Row) bool { return !r.Best })
		c.Bars(low, high, chart.Stroke{Color: stroke.Color, Width: 1})
		c.Dots(rest, stroke.Color, 2.5)
	}
	return chart.SVG(1, c)
}

// best draws a line through the Pareto front of a kind of losses, one for each data set.
func (x Axis) best(c *chart.Chart, rows []Row, kind string, stroke chart.Stroke, name string) {
	var sets []string
	for _, r := range rows {
		if data := x.dataOf(r); r.Best && r.kind().words() == kind && !slices.Contains(sets, data) {
			sets = append(sets, data)
			x.curve(c, rows, func(r Row) bool { return r.Best && r.kind().words() == kind && x.dataOf(r) == data }, stroke, name)
			name = ""
		}
	}
}

// of returns the rows with a value of field k, with their Pareto front marked.
func of(k int, value string, rows []Row, x Axis) (own []Row) {
	for _, r := range rows {
		if len(r.Values) > k && r.Values[k] == value {
			own = append(own, r)
		}
	}
	Frontier(own, x)
	return own
}

func short(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }
