package federation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/spread"
	"github.com/hearsay-dp/hearsay/report"
)

// leastOfGroup is the number of test rows below which a group is not scored: its share would say little of the model, and much of
// single rows.
const leastOfGroup = 10

// A Group holds the quality of the model on the test rows of this participant that have one value of a column.
type Group struct {
	Value    string         `json:"value"`
	Rows     int            `json:"rows"`
	Accuracy *report.Number `json:"accuracy,omitempty"` // nil: fewer than leastOfGroup rows
	Low      *report.Number `json:"low,omitempty"`      // ends of the 95 % interval of Wilson (1927)
	High     *report.Number `json:"high,omitempty"`
}

// checkBy returns an error if test rows cannot be told apart by the column: it must have categories in the spec, which are
// public, and rows must keep them.
func (f *Federation) checkBy(column string) error {
	switch _, listed := f.shape.Categories[column]; {
	case column == "" || listed && column != f.shape.Target && f.shape.Encoding == nil && f.shape.Classes != nil:
		return nil
	case listed && column != f.shape.Target:
		return fault.New("--by "+column+": scores by group are of a classifier whose rows keep their columns", "leave it out; data.features mixes them, and regressions have no share of right answers")
	}
	hint := "leave it out: no column of the spec has categories (data.categories)"
	if columns := f.shape.Columns(); len(f.shape.Categories) > 0 {
		hint = "one of " + strings.Join(slices.DeleteFunc(columns, func(c string) bool { return f.shape.Categories[c] == nil }), ", ")
	}
	return fault.New("--by "+column+" is no column with categories in the spec", hint)
}

// byGroup scores the model on the test rows of each value of a column.
func (f *Federation) byGroup(m *Model, kept dataset.Block, column string) (groups []Group) {
	values := f.shape.Categories[column]
	first := slices.Index(f.shape.Features(), column+"="+values[0])
	rows := make([]dataset.Block, len(values))
	for i := range kept.Rows() {
		row := kept.X[i*kept.Features : (i+1)*kept.Features]
		of := &rows[valueOf(row[first:first+len(values)])]
		of.Features, of.X, of.Y = kept.Features, append(of.X, row...), append(of.Y, kept.Y[i])
	}
	for k, value := range values {
		g := Group{Value: value, Rows: rows[k].Rows()}
		if g.Rows >= leastOfGroup {
			_, right := f.setup.Objective.Score(m.parameters, examples(f.setup.Objective.Model, rows[k]))
			low, high := spread.OfShare(right, g.Rows)
			for _, to := range []struct {
				at   **report.Number
				what float64
			}{{&g.Accuracy, right}, {&g.Low, low}, {&g.High, high}} {
				number := report.Number(to.what)
				*to.at = &number
			}
		}
		groups = append(groups, g)
	}
	return groups
}

// valueOf returns which of the features of one text column is set.
func valueOf(set []float64) (at int) {
	for k, x := range set {
		if x > set[at] {
			at = k
		}
	}
	return at
}

// groupWords returns the scores by group as a sentence, "" without any.
func (s *Score) groupWords() string {
	if s == nil || len(s.Groups) == 0 {
		return ""
	}
	parts := make([]string, len(s.Groups))
	for k, g := range s.Groups {
		parts[k] = fmt.Sprintf("“%s” %d rows, not scored", g.Value, g.Rows)
		if g.Accuracy != nil {
			parts[k] = fmt.Sprintf("“%s” %.1f %% of %d rows (95 %% interval: %.0f to %.0f %%)", g.Value, 100*float64(*g.Accuracy), g.Rows, 100*float64(*g.Low), 100*float64(*g.High))
		}
	}
	return fmt.Sprintf(" Right by %s: %s. Groups of fewer than %d rows are not scored. These scores are statistics of this participant’s own test rows, which no loss covers: they stay here.", s.By, strings.Join(parts, "; "), leastOfGroup)
}
