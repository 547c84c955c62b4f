package sweep

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/hearsay-dp/hearsay/internal/chart"
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
	var charts []template.HTML
	for k, f := range fields {
		if len(f.Values) > 1 && len(f.Values) <= mostLines {
			charts = append(charts, template.HTML(frontier(k, f, rows)))
		}
	}
	if len(charts) == 0 && len(rows) > 0 {
		charts = append(charts, template.HTML(frontier(-1, Field{}, rows)))
	}
	records := func(rows []Row) (text [][]string) {
		for _, r := range rows {
			text = append(text, r.Record())
		}
		return text
	}
	return page.Execute(w, map[string]any{
		"Name": name, "Cells": len(rows), "Failed": failed, "Charts": charts, "Header": Header(fields), "Best": records(best), "Rows": records(rows),
	})
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

// frontier draws scores over mean losses, in a colour for each value of field k, or in
// one where k < 0.
func frontier(k int, f Field, rows []Row) string {
	c := &chart.Chart{
		Width: 640, Height: 360, X: "mean privacy loss", Y: "test loss", Ink: "#000", Grid: "#bbb", GridX: true, Label: 13, Small: 11,
		Title: "what privacy costs", Spare: chart.Spare{X: 1.3},
	}
	values := []string{""}
	if k >= 0 {
		c.Title, values = "by "+f.Key, f.Values
	}
	for i, value := range values {
		var points []chart.Point
		for _, r := range rows {
			if r.Error != "" || k >= 0 && r.Values[k] != value || !r.Mean.Finite() || !r.Score.Finite() {
				continue
			}
			if r.Classifies {
				c.Y = "test accuracy"
			}
			points = append(points, chart.Point{X: float64(r.Mean), Y: float64(r.Score)})
		}
		slices.SortFunc(points, func(a, b chart.Point) int { return compare(a.X, b.X) })
		stroke := chart.Stroke{Color: colours[i%len(colours)], Width: 1.5}
		c.Line(points, stroke, value)
		c.Dots(points, stroke.Color, 3)
	}
	return chart.SVG(1, c)
}

// WriteText writes what no cell beats for a terminal.
func WriteText(w io.Writer, fields []Field, rows []Row) error {
	best := slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return !r.Best })
	slices.SortStableFunc(best, func(a, b Row) int { return compare(float64(a.Mean), float64(b.Mean)) })
	if _, err := fmt.Fprintf(w, "%d cells; no other loses less and scores as well as these:\n", len(rows)); err != nil {
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
		if _, err := fmt.Fprintf(w, "mean loss %s (%s, %s), %s %s%s: %s\n", short(float64(r.Mean)), r.Accountant, r.Status, what, short(float64(r.Score)), std,
			r.Cell.Name(fields)); err != nil {
			return err
		}
	}
	return nil
}

func short(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }
