// Package columnar writes the table of a sweep as Parquet, with numbers as numbers.
package columnar

import (
	"io"
	"reflect"

	"github.com/parquet-go/parquet-go"

	"github.com/hearsay-dp/hearsay/sweep"
)

// Write writes columns of equal length under their names, in their order. Every column may have missing values.
// Numbers are int64 or double.
func Write(w io.Writer, columns []sweep.Column) error {
	fields := make([]parquet.Field, len(columns))
	for i, c := range columns {
		fields[i] = field{parquet.Optional(leaf(c.Values)), c.Name}
	}
	out := parquet.NewWriter(w, parquet.NewSchema("sweep", group{fields: fields}))
	for i := range columns[0].Values {
		row := make(parquet.Row, len(columns))
		for k, c := range columns {
			if c.Values[i] == nil {
				row[k] = parquet.Value{}.Level(0, 0, k)
			} else {
				row[k] = parquet.ValueOf(c.Values[i]).Level(0, 1, k)
			}
		}
		if _, err := out.WriteRows([]parquet.Row{row}); err != nil {
			return err
		}
	}
	return out.Close()
}

// leaf returns the type of the values that are not missing. It is text if all are missing.
func leaf(values []any) parquet.Node {
	for _, v := range values {
		switch v.(type) {
		case int64:
			return parquet.Leaf(parquet.Int64Type)
		case float64:
			return parquet.Leaf(parquet.DoubleType)
		case bool:
			return parquet.Leaf(parquet.BooleanType)
		case string:
			return parquet.String()
		}
	}
	return parquet.String()
}

// A group is a parquet.Group with its own order of fields and any field names.
type group struct {
	parquet.Group
	fields []parquet.Field
}

func (g group) Fields() []parquet.Field { return g.fields }

// GoType returns a placeholder, because rows are written as values and never need it.
func (g group) GoType() reflect.Type { return reflect.TypeFor[struct{}]() }

type field struct {
	parquet.Node
	name string
}

func (f field) Name() string { return f.name }

func (f field) Value(reflect.Value) reflect.Value { panic("columnar: rows are values") }
