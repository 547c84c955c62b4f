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
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/report"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("").Parse(pageText))

// colours are those of Okabe and Ito (2008).
var colours = []string{"#0072b2", "#d55e00", "#009e73", "#e69f00", "#cc79a7", "#56b4e9", "#000000", "#787878"}

// mostLines is how many values of a field are drawn as lines of their own.
const mostLines = 8

// WritePage writes the page of a sweep, which needs no other file: what privacy costs, the
// cells that no other beats, and all cells.
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
	slices.SortStableFunc(best, func(a, b Row) int { return compare(float64(a.Mean), float64(b.Mean)) })
	x := axis(rows)
	charts := []template.HTML{template.HTML(overview(x, rows))}
	for k, f := range fields {
		if len(f.Values) > 1 && len(f.Values) <= mostLines && (len(fields) == 1 || !strings.HasPrefix(f.Key, "privacy.")) { // which is the loss itself
			charts = append(charts, template.HTML(frontier(x, k, f, rows)))
		}
	}
	names, same, shown := table(fields, rows)
	seeds := slices.ContainsFunc(fields, func(f Field) bool { return f.Key == "seed" && len(f.Values) > 1 })
	return page.Execute(w, map[string]any{"Seeds": seeds,
		"Name": name, "Cells": len(rows), "Failed": failed, "Charts": charts, "Header": names, "Same": same, "Best": shown(best), "Rows": shown(rows),
	})
}

// table is what the page shows of rows: columns that differ between them, and the others in words. Numbers have four digits.
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
		case text == "" && k >= len(fields): // nobody has it
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

// brief is a value in four digits.
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

// axis says what losses are, as far as all rows agree.
func axis(rows []Row) string {
	text := "mean privacy loss"
	for _, of := range []func(Row) string{func(r Row) string { return r.Metric }, func(r Row) string { return string(r.Status) },
		func(r Row) string { return "of a " + r.Unit }} {
		one, agree := "", true
		for _, r := range rows {
			if r.Error != "" {
				continue
			}
			if now := of(r); one == "" {
				one = now
			} else if now != one {
				agree = false
			}
		}
		if agree && one != "" && one != "of a " {
			text += ", " + one
		}
	}
	return text
}

// newChart is empty.
func newChart(title, x string, rows []Row) *chart.Chart {
	c := &chart.Chart{Width: 640, Height: 360, Title: title, X: x, Y: "test loss", Ink: "#000", Grid: "#bbb", GridX: true, Label: 13, Small: 11, Spare: chart.Spare{X: 1.3}}
	for _, r := range rows {
		if r.Error == "" && r.Classifies {
			c.Y = "test accuracy"
		}
	}
	return c
}

// drawn are the points of rows that can be drawn, by loss.
func drawn(rows []Row, which func(Row) bool) (points []chart.Point) {
	for _, r := range rows {
		if r.Error == "" && which(r) && r.Mean.Finite() && r.Score.Finite() {
			points = append(points, chart.Point{X: float64(r.Mean), Y: float64(r.Score)})
		}
	}
	slices.SortFunc(points, func(a, b chart.Point) int { return compare(a.X, b.X) })
	return points
}

// overview draws every cell, and a line through those that no other beats.
func overview(x string, rows []Row) string {
	c := newChart("what privacy costs", x, rows)
	c.Dots(drawn(rows, func(r Row) bool { return !r.Best }), "#999", 3)
	best := drawn(rows, func(r Row) bool { return r.Best })
	c.Line(best, chart.Stroke{Color: colours[0], Width: 2}, "no other beats these")
	c.Dots(best, colours[0], 4)
	return chart.SVG(1, c)
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

// frontier draws scores over mean losses, in a colour for each value of field k: all its cells, and a line through
// those that no other of the same value beats.
func frontier(x string, k int, f Field, rows []Row) string {
	c := newChart("by "+f.Key+": lines through what no other of the same beats", x, rows)
	for _, value := range f.Values { // room for the longest name
		c.Spare.X = max(c.Spare.X, 1.1+float64(0.03*float64(min(len(Plain(value)), 30))))
	}
	for i, value := range f.Values {
		own := of(k, value, rows)
		stroke := chart.Stroke{Color: colours[i%len(colours)], Width: 1.5}
		c.Line(drawn(own, func(r Row) bool { return r.Best }), stroke, Plain(value))
		c.Dots(drawn(own, func(Row) bool { return true }), stroke.Color, 3)
	}
	return chart.SVG(1, c)
}

// of are the rows with a value of field k, marked by what no other of them beats.
func of(k int, value string, rows []Row) (own []Row) {
	for _, r := range rows {
		if len(r.Values) > k && r.Values[k] == value {
			own = append(own, r)
		}
	}
	Frontier(own)
	return own
}

// WriteText writes what no cell beats for a terminal.
func WriteText(w io.Writer, fields []Field, rows []Row) error {
	best := slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return !r.Best })
	slices.SortStableFunc(best, func(a, b Row) int { return compare(float64(a.Mean), float64(b.Mean)) })
	head := fmt.Sprintf("%d cells; no other loses less and scores as well as these:", len(rows))
	if len(best) == 0 {
		head = fmt.Sprintf("%d cells, and none that has a score", len(rows))
	}
	if _, err := fmt.Fprintln(w, head); err != nil {
		return err
	}
	for _, r := range best {
		what := "test loss"
		if r.Classifies {
			what = "accuracy"
		}
		std := ""
		if r.Trials > 1 && !math.IsNaN(float64(r.Std)) {
			std = " +- " + short(float64(r.Std))
		}
		if _, err := fmt.Fprintf(w, "mean loss %s (%s, %s), %s %s%s: %s\n", report.Loss(float64(r.Mean), r.Status), r.Accountant, r.Status, what, short(float64(r.Score)), std,
			r.Cell.Name(fields)); err != nil {
			return err
		}
	}
	return nil
}

func short(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }
