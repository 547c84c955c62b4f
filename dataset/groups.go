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
// last, as participants of a federation bring them: classes by their names.
func (t *Table) WriteGroup(w io.Writer, g int) error {
	if g < 0 || g >= len(t.GroupNames) {
		return fault.New(t.Source+" has no natural groups", "name a source that has, such as heart, or deal its rows: --parts 10 --rows 300")
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
