package sweep

import (
	"encoding/csv"
	"io"
)

// WriteCSV writes a header and the rows.
func WriteCSV(w io.Writer, fields []Field, rows []Row) error {
	out := csv.NewWriter(w)
	if err := out.Write(Header(fields)); err != nil {
		return err
	}
	for _, r := range rows {
		if err := out.Write(r.Record()); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
