package figure

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/sweep"
)

// A Figure is a grid of panels of curves.
type Figure struct {
	X, Y   string // labels of the axes
	Panels [][]Panel
	Notes  []string // notes that the caption must hold
}

// A Panel holds the curves over one pair of axes.
type Panel struct {
	Title  string
	Curves []Curve
}

// A Curve holds the settings that differ only in their privacy, ordered by loss.
type Curve struct {
	Name   string
	Points []Point
}

// A Point is a setting with its loss and its score. Low and High are the 95 % interval of the score. They equal the
// score if there is one run only.
type Point struct {
	X, Y, Low, High float64
	Repeats         int
}

// mostPanels bounds the panels on a side of the grid, and mostCurves the curves of a panel, so that the figure fits a
// page.
const (
	mostPanels = 6
	mostCurves = 12
)

// New collects the curves of a sweep. privacy.sigma and privacy.calibrate vary along a curve. Of the other varied
// fields the first distinguishes the curves of a panel, the second the columns of panels, and the third their rows.
func New(fields []sweep.Field, rows []sweep.Row) (*Figure, error) {
	var by []int
	for k, f := range fields {
		if len(f.Values) > 1 && !along(f.Key) {
			by = append(by, k)
		}
	}
	if len(by) > 3 {
		return nil, fault.New(fmt.Sprintf("a figure of %d keys that vary besides the privacy loss: %s", len(by), keysOf(fields, by)), "vary three at most: curves, columns and rows of panels")
	}
	axis := sweep.LossAxis(fields)
	f := &Figure{X: axis.Brief(rows), Y: sweep.ScoreName(rows)}
	across, down := valuesOf(fields, by, 1), valuesOf(fields, by, 2)
	if len(across) > mostPanels || len(down) > mostPanels {
		return nil, fault.New(fmt.Sprintf("a figure of %d x %d panels", len(down), len(across)), fmt.Sprintf("vary the second and the third key over at most %d values, or others first", mostPanels))
	}
	telling := sweep.Telling(rows)
	for _, low := range down {
		var line []Panel
		for _, side := range across {
			own := slices.DeleteFunc(slices.Clone(rows), func(r sweep.Row) bool {
				return r.Error != "" || !has(r, by, 2, low.value) || !has(r, by, 1, side.value)
			})
			p := Panel{Title: titled(side.label, low.label)}
			for _, value := range valuesOf(fields, by, 0) {
				p.Curves = append(p.Curves, curves(own, by, value, axis, telling)...)
			}
			if len(p.Curves) > mostCurves {
				return nil, fault.New(fmt.Sprintf("a panel of %d curves", len(p.Curves)), fmt.Sprintf("vary the first key over at most %d values", mostCurves))
			}
			line = append(line, p)
		}
		f.Panels = append(f.Panels, line)
	}
	f.Notes = sweep.Caption(rows)
	return f, nil
}

// along reports whether a key varies along a curve.
func along(key string) bool {
	return key == "privacy.sigma" || key == "privacy.calibrate" || strings.HasPrefix(key, "privacy.calibrate.")
}

// A choice is a value of a field with its short name.
type choice struct{ value, label string }

// valuesOf returns the values of the k-th of the fields in by. It returns one empty choice if there are fewer fields.
func valuesOf(fields []sweep.Field, by []int, k int) (all []choice) {
	if k >= len(by) {
		return []choice{{}}
	}
	f := fields[by[k]]
	for i, label := range f.Named() {
		all = append(all, choice{f.Values[i], label})
	}
	return all
}

// has reports whether a row has the value of the k-th of the fields in by.
func has(r sweep.Row, by []int, k int, value string) bool {
	return k >= len(by) || r.Values[by[k]] == value
}

func keysOf(fields []sweep.Field, by []int) string {
	var keys []string
	for _, k := range by {
		keys = append(keys, fields[k].Key)
	}
	return strings.Join(keys, ", ")
}

func titled(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "; ")
}

// curves returns the curves of a value, one for each kind of losses, because kinds are not comparable.
func curves(rows []sweep.Row, by []int, value choice, axis sweep.Axis, telling func(sweep.Row) string) (all []Curve) {
	at := map[string]int{}
	for _, r := range rows {
		if !has(r, by, 0, value.value) || !axis.Of(r).Finite() || !r.Score.Finite() {
			continue
		}
		name := titled(value.label, telling(r))
		if _, known := at[name]; !known {
			at[name] = len(all)
			all = append(all, Curve{Name: name})
		}
		p := Point{X: float64(axis.Of(r)), Y: float64(r.Score), Low: float64(r.Score), High: float64(r.Score), Repeats: r.Repeats}
		if s := r.Spread.Score; r.Repeats > 1 && s.Low.Finite() && s.High.Finite() {
			p.Low, p.High = float64(s.Low), float64(s.High)
		}
		c := &all[at[name]]
		c.Points = append(c.Points, p)
	}
	for i := range all {
		slices.SortStableFunc(all[i].Points, func(a, b Point) int { return compare(a.X, b.X) })
	}
	return all
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
