package family

import (
	"maps"
	"slices"
)

// A Use says how a key of the spec enters what an accountant charges.
type Use uint8

const (
	Free    Use = iota // the number holds whatever the key says
	Priced             // the key is an input of the accountant
	Needed             // the proof needs some value, and others are refused
	Claimed            // not charged: a note or an assumption beside the number says so
	Absent             // the algorithms of this accountant have no such key
)

// Uses is what each accountant of a family needs of each key of algorithm and
// privacy: one row a key, one column an accountant. A key without a row fails a
// test: whoever adds one says here what it does to every number.
type Uses struct {
	Columns []string
	Rows    map[string][]Use
}

// Of is what an accountant does with a key.
func (u Uses) Of(key, accountant string) Use { return u.Rows[key][slices.Index(u.Columns, accountant)] }

// But is a table like u in all but the rows given, and without the keys whose row is nil.
func (u Uses) But(rows map[string][]Use) Uses {
	changed := maps.Clone(u.Rows)
	maps.Copy(changed, rows)
	maps.DeleteFunc(changed, func(_ string, row []Use) bool { return row == nil })
	return Uses{Columns: u.Columns, Rows: changed}
}

// All is the same use by so many accountants.
func All(columns int, u Use) []Use {
	row := make([]Use, columns)
	for i := range row {
		row[i] = u
	}
	return row
}
