package dataset

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/step"
)

// WriteGroup writes the rows of natural group g as a CSV file with a header, the label
// last, as participants of a federation bring them: classes by their names, and the
// columns of categories with these values in place of their features.
func (t *Table) WriteGroup(w io.Writer, g int, categories map[string][]string) error {
	if g < 0 || g >= len(t.GroupNames) {
		return fault.New(t.Source+" has no natural groups", "name a source that has, such as heart, or deal its rows: --parts 10 --rows 300")
	}
	out := csv.NewWriter(w)
	var header []string
	lists := make([][]string, 0, len(t.Features)) // of each column: its values, nil: a number
	for j := 0; j < len(t.Features); {
		name, values := columnOf(t.Features[j], categories)
		header, lists, j = append(header, name), append(lists, values), j+max(1, len(values))
	}
	if err := out.Write(append(header, t.Target)); err != nil {
		return err
	}
	for i, of := range t.Groups {
		if int(of) != g {
			continue
		}
		row, record := t.Row(i), []string(nil)
		for _, values := range lists {
			if values == nil {
				record, row = append(record, strconv.FormatFloat(row[0], 'g', -1, 64)), row[1:]
				continue
			}
			record, row = append(record, values[slices.Index(row[:len(values)], 1)]), row[len(values):]
		}
		if err := out.Write(append(record, t.labelText(t.Y[i]))); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// columnOf returns the column that a feature is made of, or begins, and the column's values if it has categories.
func columnOf(feature string, categories map[string][]string) (string, []string) {
	for name, values := range categories {
		if featuresOf(name, categories)[0] == feature {
			return name, values
		}
	}
	return feature, nil
}

// InParts returns t with rows dealt at random to parts that stand for natural groups, each of that many rows. It does not change t.
func (t *Table) InParts(parts, rows int, seed uint64) (*Table, error) {
	if parts < 1 || rows < 1 || rows > t.Rows()/parts {
		return nil, fault.New(fmt.Sprintf("%d parts of %d rows: %s has %d rows", parts, rows, t.Source, t.Rows()),
			fmt.Sprintf("give at least one part, and up to %d rows", t.Rows()/max(parts, 1)))
	}
	dealt := *t
	dealt.Group, dealt.Groups, dealt.GroupNames = "part", slices.Repeat([]int32{-1}, t.Rows()), nil
	var stream step.Stream
	order := stream.At(seed, everyone, splitTurn, 0, step.Data).Perm(t.Rows())
	digits := len(fmt.Sprint(parts))
	for p := range parts {
		dealt.GroupNames = append(dealt.GroupNames, fmt.Sprintf("part%0*d", digits, p+1))
		for _, i := range order[p*rows : (p+1)*rows] {
			dealt.Groups[i] = int32(p)
		}
	}
	return &dealt, nil
}

// labelText returns a label as a file has it.
func (t *Table) labelText(y float64) string {
	for c, name := range t.Classes {
		if labelOf(c, len(t.Classes)) == y {
			return name
		}
	}
	return strconv.FormatFloat(y, 'g', -1, 64)
}
