package sweep

import (
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/internal/yamltext"
	"github.com/hearsay-dp/hearsay/report"
)

// An Axis is the loss that a sweep's scores are drawn over.
type Axis struct {
	Name, Short string // in words, and in two
	Pair        string // whose loss it is
	Of          func(Row) report.Number
	Spread      func(Row) Spread
	data        []int // fields that say what is learnt from
}

// dataOf is what a row's model was learnt from, as far as that varies: scores on other data are not compared.
func (x Axis) dataOf(r Row) string {
	var all []string
	for _, k := range x.data {
		if k < len(r.Values) {
			all = append(all, r.Values[k])
		}
	}
	return strings.Join(all, "\n")
}

// FieldsOf are the fields that rows of a table have under these keys.
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

// LossAxis returns the loss that a sweep calibrates to: that of the worst pair where privacy.calibrate names max, or else the mean of all.
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

// Words say what losses are, as far as all rows agree.
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

// Brief is the metric and whose it is, as far as all rows agree.
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

// kindsOf are the kinds of losses that rows have, in words, in their order.
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
