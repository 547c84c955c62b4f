package dataset

import (
	"encoding/csv"
	"io"
	"strconv"

	"github.com/hearsay-dp/hearsay/fault"
)

// WriteGroup writes the rows of natural group g as a CSV file with a header, the label
// last, as participants of a federation bring them: classes by their names.
func (t *Table) WriteGroup(w io.Writer, g int) error {
	if g < 0 || g >= len(t.GroupNames) {
		return fault.New(t.Source+" has no natural groups", "name a source that has, such as heart")
	}
	out := csv.NewWriter(w)
	record := append(append([]string{}, t.Features...), t.Target)
	if err := out.Write(record); err != nil {
		return err
	}
	for i, of := range t.Groups {
		if int(of) != g {
			continue
		}
		for j, x := range t.Row(i) {
			record[j] = strconv.FormatFloat(x, 'g', -1, 64)
		}
		record[len(record)-1] = t.labelText(t.Y[i])
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// labelText is a label as a file has it.
func (t *Table) labelText(y float64) string {
	for c, name := range t.Classes {
		if labelOf(c, len(t.Classes)) == y {
			return name
		}
	}
	return strconv.FormatFloat(y, 'g', -1, 64)
}
