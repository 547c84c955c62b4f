package sweep

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/report"
)

// errNoTable reports a file that is no table of a sweep.
var errNoTable = errors.New("no table that hearsay sweep or compare wrote")

// ReadCSV reads at most most rows of a table that WriteCSV wrote. It returns the keys of the
// fields and the rows, as far as the table holds them.
func ReadCSV(r io.Reader, most int) (keys []string, rows []Row, err error) {
	in := csv.NewReader(r)
	header, err := in.Read()
	if err != nil {
		return nil, nil, errNoTable
	}
	fixed := Header(nil)
	if at := len(header) - len(fixed); at < 0 || !slices.Equal(header[at:], fixed) {
		return nil, nil, errNoTable
	}
	keys = header[:len(header)-len(fixed)]
	for len(rows) < most {
		record, err := in.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, nil, err
		}
		row, err := rowOf(record, len(keys))
		if err != nil {
			return nil, nil, fmt.Errorf("row %d: %w", len(rows)+1, err)
		}
		row.Cell = Cell{len(rows), row.Values}
		rows = append(rows, row)
	}
	return keys, rows, nil
}

// rowOf is the inverse of Record.
func rowOf(record []string, fields int) (r Row, err error) {
	number := func(text string) float64 {
		if text == "" {
			return math.NaN()
		}
		x, failed := strconv.ParseFloat(text, 64)
		if failed != nil && err == nil {
			err = fmt.Errorf("%.40q is no number", text)
		}
		return x
	}
	is := map[string]string{}
	for i, name := range Header(nil) {
		is[name] = record[fields+i]
	}
	r = Row{Values: record[:fields:fields], Error: is["error"], Classifies: strings.HasSuffix(is["score_is"], "accuracy"), Validated: strings.HasPrefix(is["score_is"], "validation"), Accountant: is["accountant"],
		Status: report.Status(is["status"]), Unit: is["unit"], Observer: is["observer"], Covers: is["covers_model"] == "true", Metric: is["metric"],
		Varies: is["varies"], Best: is["best"] == "true"}
	if r.Error != "" {
		return r, nil
	}
	for name, at := range map[string]struct {
		mean   *report.Number
		spread *Spread
	}{"score": {&r.Score, &r.Spread.Score}, "train_loss": {&r.TrainLoss, &r.Spread.TrainLoss}, "test_loss": {&r.TestLoss, &r.Spread.TestLoss},
		"mean_loss": {&r.Mean, &r.Spread.Mean}, "max_loss": {&r.Max, &r.Spread.Max}} {
		*at.mean = report.Number(number(is[name]))
		*at.spread = Spread{report.Number(number(is[name+stdColumn])), report.Number(number(is[name+lowColumn])), report.Number(number(is[name+highColumn]))}
	}
	r.Std = r.Spread.Score.Std
	for name, at := range map[string]*float64{"sigma": &r.Sigma, "seconds": &r.Seconds} {
		if x := number(is[name]); report.Number(x).Finite() { // JSON has no other numbers
			*at = x
		}
	}
	for name, at := range map[string]*int{"repeats": &r.Repeats, "trials": &r.Trials, "steps": &r.Steps} {
		if *at, _ = strconv.Atoi(is[name]); *at < 0 {
			*at = 0
		}
	}
	return r, err
}

// ReadCell reads the file of a stored cell. It returns the keys that were set, and the row.
func ReadCell(text []byte) (keys []string, row Row, err error) {
	var k kept[*report.Result]
	if err := json.Unmarshal(text, &k); err != nil || k.Result == nil {
		return nil, row, errors.New("no cell of a sweep")
	}
	var c Cell
	for _, setting := range k.Settings {
		key, value, _ := strings.Cut(setting, "=")
		keys, c.Values = append(keys, key), append(c.Values, value)
	}
	return keys, NewRow(c, k.Result).as(k.By), nil
}
