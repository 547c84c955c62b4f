package sweep

import (
	"slices"
	"strconv"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/yamltext"
	"github.com/hearsay-dp/hearsay/report"
)

// A Column is a column of a table. Its values have one type: int64, float64, bool or string. A missing value is
// nil.
type Column struct {
	Name   string
	Values []any
}

// Columns returns the table that WriteCSV writes, with all digits and a type for each column.
func Columns(fields []Field, rows []Row) []Column {
	var columns []Column
	names := Header(fields)
	for k := range fields {
		texts := make([]string, len(rows))
		for i, r := range rows {
			texts[i] = Plain(r.Values[k])
		}
		columns = append(columns, Column{names[k], typed(texts)})
	}
	for k, c := range found() {
		values := make([]any, len(rows))
		for i, r := range rows {
			values[i] = c.value(r)
		}
		columns = append(columns, Column{names[len(fields)+k], values})
	}
	return columns
}

// An outcome is a column of results of cells.
type outcome struct {
	name string
	of   func(Row) any
}

func found() []outcome {
	columns := spreadOf("score", func(r Row) (report.Number, Spread) { return r.Score, r.Spread.Score })
	columns = append(columns, outcome{"score_is", func(r Row) any { return r.scoreIs() }})
	columns = append(columns, spreadOf("train_loss", func(r Row) (report.Number, Spread) { return r.TrainLoss, r.Spread.TrainLoss })...)
	columns = append(columns, spreadOf("test_loss", func(r Row) (report.Number, Spread) { return r.TestLoss, r.Spread.TestLoss })...)
	columns = append(columns, []outcome{
		{"sigma", func(r Row) any { return r.Sigma }},
		{"accountant", func(r Row) any { return r.Accountant }},
		{"status", func(r Row) any { return string(r.Status) }},
		{"unit", func(r Row) any { return r.Unit }},
		{"observer", func(r Row) any { return r.Observer }},
		{"covers_model", func(r Row) any { return r.Covers }},
		{"metric", func(r Row) any { return r.Metric }},
	}...)
	columns = append(columns, spreadOf("mean_loss", func(r Row) (report.Number, Spread) { return r.Mean, r.Spread.Mean })...)
	columns = append(columns, spreadOf("max_loss", func(r Row) (report.Number, Spread) { return r.Max, r.Spread.Max })...)
	return append(columns, []outcome{
		{"repeats", func(r Row) any { return int64(r.Repeats) }},
		{"varies", func(r Row) any { return orNothing(r.Varies) }},
		{"trials", func(r Row) any { return int64(r.Trials) }},
		{"steps", func(r Row) any { return int64(r.Steps) }},
		{"seconds", func(r Row) any { return r.Seconds }},
		{"best", func(r Row) any { return r.Best }},
		{errorColumn, Row.reason},
	}...)
}

// spreadOf returns the columns of a number and of its spread.
func spreadOf(name string, of func(Row) (report.Number, Spread)) []outcome {
	return []outcome{
		{name, func(r Row) any { mean, _ := of(r); return float64(mean) }},
		{name + stdColumn, func(r Row) any { _, s := of(r); return float64(s.Std) }},
		{name + lowColumn, func(r Row) any { _, s := of(r); return float64(s.Low) }},
		{name + highColumn, func(r Row) any { _, s := of(r); return float64(s.High) }},
	}
}

// Suffixes of the columns that hold the spread of a number.
const (
	stdColumn  = "_std"
	lowColumn  = "_low"
	highColumn = "_high"
)

// orNothing returns a text. It returns nil for an empty text.
func orNothing(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// errorColumn holds the reason why a row has no results.
const errorColumn = "error"

func (r Row) reason() any {
	if r.Error == "" {
		return nil
	}
	return r.Why()
}

// value returns the value of a row. It returns nil if the value is missing.
func (c outcome) value(r Row) any {
	if r.Error != "" && c.name != errorColumn {
		return nil
	}
	value := c.of(r)
	if x, ok := value.(float64); ok && math.IsNaN(x) {
		return nil
	}
	return value
}

// typed parses all texts as integers, or else as numbers, or else as booleans. If none fits it returns the
// texts. An empty text is missing.
func typed(texts []string) []any {
	for _, read := range []func(string) (any, error){
		func(s string) (any, error) { return strconv.ParseInt(s, 10, 64) },
		func(s string) (any, error) { return strconv.ParseFloat(s, 64) },
		truth,
	} {
		if values, all := every(texts, read); all {
			return values
		}
	}
	values, _ := every(texts, func(s string) (any, error) { return s, nil })
	return values
}

// truth parses only "true" and "false", because strconv also accepts "t".
func truth(s string) (any, error) {
	if s == "true" || s == "false" {
		return s == "true", nil
	}
	return nil, strconv.ErrSyntax
}

// every parses all texts that are not empty, and reports whether all could be parsed.
func every(texts []string, read func(string) (any, error)) ([]any, bool) {
	values := make([]any, len(texts))
	some := false
	for i, text := range texts {
		if text == "" {
			continue
		}
		value, err := read(text)
		if err != nil {
			return nil, false
		}
		values[i], some = value, true
	}
	return values, some || !slices.Contains(texts, "")
}

// Plain returns a field value for display: a YAML text without its quotes, and any other value as given.
func Plain(value string) string {
	if body, err := parsed(value); err == nil && body.Kind == yamltext.Text {
		return body.Text
	}
	return value
}
