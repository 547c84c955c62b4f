package sweep

import (
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/internal/yamltext"
	"github.com/hearsay-dp/hearsay/report"
)

// An Axis is the privacy loss over which the scores of a sweep are plotted.
type Axis struct {
	Name, Short string // in words, and in two words
	Pair        string // the pairs that the loss is of
	Of          func(Row) report.Number
	Spread      func(Row) Spread
	data        []int // indices of the fields that name the training data
}

// dataOf returns the values of the fields that name a row's training data, because scores on different data are not
// compared.
func (x Axis) dataOf(r Row) string {
	var all []string
	for _, k := range x.data {
		if k < len(r.Values) {
			all = append(all, r.Values[k])
		}
	}
	return strings.Join(all, "\n")
}

// FieldsOf returns the fields of a table with these keys, with the values of its rows.
func FieldsOf(keys []string, rows []Row) []Field {
	fields := make([]Field, len(keys))
	for k, key := range keys {
		fields[k].Key = key
		for _, r := range rows {
			if k < len(r.Values) {
				fields[k].Values = append(fields[k].Values, r.Values[k])
			}
		}
		fields[k].Values = once(fields[k].Values)
	}
	return fields
}

// LossAxis returns the loss that a sweep calibrates to. It is the worst pair's loss if privacy.calibrate names max, and
// the mean otherwise.
func LossAxis(fields []Field) Axis {
	x := lossOf(fields)
	for k, f := range fields {
		if f.Key == "data" || f.Key == "data.source" || f.Key == "data.path" || f.Key == "data.target" {
			x.data = append(x.data, k)
		}
	}
	return x
}

func lossOf(fields []Field) Axis {
	for _, f := range fields {
		if f.Key == "privacy.calibrate.max" || f.Key == "privacy.calibrate" && slices.ContainsFunc(f.Values, calibratesMax) {
			return Axis{"worst pair's privacy loss", "worst loss", "worst pair", func(r Row) report.Number { return r.Max }, func(r Row) Spread { return r.Spread.Max }, nil}
		}
	}
	return Axis{"mean privacy loss", "mean loss", "mean over pairs", func(r Row) report.Number { return r.Mean }, func(r Row) Spread { return r.Spread.Mean }, nil}
}

// calibratesMax reports whether a value of privacy.calibrate bounds the loss of the worst pair.
func calibratesMax(value string) bool {
	node, err := parsed(value)
	return err == nil && node.Kind == yamltext.Mapping && strings.Contains(value, "max")
}

// Words describes the losses as far as all rows agree.
func (x Axis) Words(rows []Row) string {
	text := ""
	for _, r := range rows {
		switch now := r.kind().brief(); {
		case r.Error != "":
		case text != "" && now != text:
			return x.Name
		default:
			text = now
		}
	}
	if text == "" {
		return x.Name
	}
	return x.Name + ", " + text
}

// Brief returns the metric and the pairs, as far as all rows agree.
func (x Axis) Brief(rows []Row) string {
	text := ""
	for _, r := range rows {
		switch {
		case r.Error != "":
		case text != "" && r.Metric != text:
			return "privacy loss, " + x.Pair
		default:
			text = r.Metric
		}
	}
	return text + ", " + x.Pair
}

// kindsOf returns the kinds of losses in rows, in words and in their order.
func kindsOf(rows []Row) (all []string) {
	for _, r := range rows {
		if r.Error != "" {
			continue
		}
		if text := r.kind().words(); !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}
