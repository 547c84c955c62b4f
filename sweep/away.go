package sweep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/report"
)

// Away runs cells elsewhere, by their settings. For each cell it calls accept with the result as JSON and the name of
// the worker that sent it, or failed with the reason why there is none. Calls are made one at a time. Away ends with
// the error of accept unless that is ErrNoResult. by is "" if the losses were also computed here.
type Away func(ctx context.Context, settings [][]string, accept func(i int, by string, result []byte) error, failed func(i int, err error)) error

// ErrNoResult says that data from elsewhere are not the result of a cell.
var ErrNoResult = errors.New("it is not the result of a cell")

func (s Sweep) away(ctx context.Context, cells []Cell, rows []Row, done func(r Row, again bool)) error {
	var open []Cell
	var settings [][]string
	for _, c := range cells {
		own := c.Settings(s.Fields)
		r, by, err := s.known(own)
		if err != nil {
			return err
		}
		if r == nil {
			open, settings = append(open, c), append(settings, own)
			continue
		}
		rows[c.Number] = NewRow(c, r).as(by)
		done(rows[c.Number], true)
	}
	if len(open) == 0 {
		return nil
	}
	end := func(r Row) {
		rows[r.Cell.Number] = r
		done(r, false)
	}
	return s.Away(ctx, settings, func(i int, by string, result []byte) error {
		row, err := readRow(open[i], result)
		if err != nil {
			return err
		}
		if err := s.keep(settings[i], by, result); err != nil {
			return err
		}
		end(row.as(by))
		return nil
	}, func(i int, err error) {
		end(Row{Cell: open[i], Values: open[i].Values, Error: err.Error(), Hint: fault.Hint(err)})
	})
}

// readRow returns the row of a result that came from elsewhere. It trusts numbers. It refuses texts that no result has.
func readRow(c Cell, result []byte) (Row, error) {
	r := &report.Result{}
	if err := json.Unmarshal(result, r); err != nil {
		return Row{}, fmt.Errorf("%w: %v", ErrNoResult, err)
	}
	row := NewRow(c, r)
	if !slices.Contains([]report.Status{report.Published, report.Sound, report.SoundIf, report.Audit, report.Estimate}, row.Status) {
		return row, fmt.Errorf("%w: status %.40q", ErrNoResult, row.Status)
	}
	for _, text := range []string{row.Accountant, string(row.Status), row.Unit, row.Metric, row.Observer, row.Varies} {
		if len(text) > 200 || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
			return row, fmt.Errorf("%w: %.40q", ErrNoResult, text)
		}
	}
	for _, t := range append(report.List[report.Trial]{{Final: r.Final}}, r.Trials...) {
		if a := t.Final.TestAccuracy; a != nil && !(*a >= 0 && *a <= 1) {
			return row, fmt.Errorf("%w: an accuracy of %g", ErrNoResult, *a)
		}
	}
	if row.Trials > 1 && math.IsNaN(float64(row.Std)) || math.IsNaN(float64(row.Score)) || !(row.Seconds >= 0) {
		return row, fmt.Errorf("%w: a score of %g that has no deviation, in %g seconds", ErrNoResult, float64(row.Score), row.Seconds)
	}
	if !(row.Mean >= 0 && row.Max >= 0 && row.Sigma >= 0) || row.Trials < 1 || row.Steps < 0 {
		return row, fmt.Errorf("%w: a loss of %g, %d trials of %d steps", ErrNoResult, float64(row.Mean), row.Trials, row.Steps)
	}
	return row, nil
}
