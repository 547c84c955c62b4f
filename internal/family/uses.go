package family

import (
	"maps"
	"slices"
)

// A Use says how a key of the spec enters the charge of an accountant.
type Use uint8

const (
	Free    Use = iota // the number holds for any value of the key
	Priced             // the key is an input of the accountant
	Needed             // the proof needs certain values, and others are refused
	Claimed            // not charged: a note or an assumption beside the number says so
	Absent             // the algorithms of this accountant have no such key
)

// Uses holds the use of each key of algorithm and privacy by each accountant of a family: one row a key, one column an
// accountant. A key without a row fails a test, so that whoever adds a key states its effect on every number.
type Uses struct {
	Columns []string
	Rows    map[string][]Use
}

// Of returns the use of a key by an accountant.
func (u Uses) Of(key, accountant string) Use { return u.Rows[key][slices.Index(u.Columns, accountant)] }

// But returns a copy of u with the given rows replaced or added. A key whose row is nil is deleted.
func (u Uses) But(rows map[string][]Use) Uses {
	changed := maps.Clone(u.Rows)
	maps.Copy(changed, rows)
	maps.DeleteFunc(changed, func(_ string, row []Use) bool { return row == nil })
	return Uses{Columns: u.Columns, Rows: changed}
}

// All returns a row with the same use in each of so many columns.
func All(columns int, u Use) []Use {
	row := make([]Use, columns)
	for i := range row {
		row[i] = u
	}
	return row
}
