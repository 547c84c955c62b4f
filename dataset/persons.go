package dataset

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/step"
)

// Persons states which rows belong to one person, if a person is protected with all of its rows. Every person is learnt from as
// exactly Rows rows: more are left out at random, fewer are repeated. So the number of one person's rows changes nothing for others.
type Persons struct {
	Column string // with an id in every row, never a feature; "": every row is a record of its own
	Rows   int    // of a person, at least 1
}

// Check refuses a column without a number of rows.
func (p Persons) Check() error {
	if p.Column != "" && p.Rows < 1 {
		return fault.New(fmt.Sprintf("rows_per_person: %d rows of each %s", p.Rows, p.Column), "give 1 or more")
	}
	return nil
}

// A roll holds the rows of a table by person, under the first row of each.
type roll struct {
	heads []int32           // in the order of the table
	rows  map[int32][]int32 // nil: every row is its own
	most  int               // of a person
}

// roll lists the persons of t. Who has rows in several natural groups is a person in each.
func (t *Table) roll(most int) roll {
	if t.Persons == nil {
		return roll{heads: sequence(0, t.Rows())}
	}
	type member struct{ person, group int32 }
	first, r := map[member]int32{}, roll{rows: map[int32][]int32{}, most: most}
	for i, person := range t.Persons {
		m := member{person: person}
		if t.Groups != nil {
			m.group = t.Groups[i]
		}
		head, known := first[m]
		if !known {
			head = int32(i)
			first[m], r.heads = head, append(r.heads, head)
		}
		r.rows[head] = append(r.rows[head], int32(i))
	}
	return r
}

// all returns all rows of some persons.
func (r roll) all(heads []int32) []int32 {
	if r.rows == nil {
		return heads
	}
	var rows []int32
	for _, head := range heads {
		rows = append(rows, r.rows[head]...)
	}
	return rows
}

// learnt returns the rows that are learnt from, most of every person. They depend on the person's place among all and on no
// value. If a person has more rows, most are drawn; if it has fewer, they are taken in turn.
func (r roll) learnt(heads []int32, seed uint64, node step.NodeID) []int32 {
	if r.rows == nil {
		return heads
	}
	place := make(map[int32]step.Turn, len(r.heads))
	for k, head := range r.heads {
		place[head] = step.Turn(k)
	}
	var stream step.Stream
	rows := make([]int32, 0, len(heads)*r.most)
	for _, head := range heads {
		own := append([]int32(nil), r.rows[head]...)
		shuffle(own, stream.At(seed, node, personTurn+place[head], 0, step.Data))
		for k := range r.most {
			rows = append(rows, own[k%len(own)])
		}
	}
	return rows
}

// over counts the persons, of some, that have more than most rows, and the rows beyond.
func (r roll) over(heads []int32) (persons, rows int) {
	for _, head := range heads {
		if more := len(r.rows[head]) - r.most; r.rows != nil && more > 0 {
			persons, rows = persons+1, rows+more
		}
	}
	return persons, rows
}

// Spare counts persons with more rows than are learnt from, and these rows.
type Spare struct {
	Persons int `json:"persons"`
	Rows    int `json:"rows"`
}

// Words says how many rows were left out. It returns "" if there are none.
func (s Spare) Words(p Persons) string {
	if s.Persons == 0 {
		return ""
	}
	return fmt.Sprintf("column %s: rows beyond %d of a person that were left out: %d, of %d persons", p.Column, p.Rows, s.Rows, s.Persons)
}

// person adds the person of a row.
func (p *csvParser) person(field string) {
	code, known := p.persons[field]
	if !known {
		code = int32(len(p.persons))
		p.persons[strings.Clone(field)] = code
	}
	p.table.Persons = append(p.table.Persons, code)
}

// checkPersons refuses ids of which a program may have written one in two ways: 7 where a column has no gaps, and 7.0 where it has.
func (p *csvParser) checkPersons() error {
	for _, id := range slices.Sorted(maps.Keys(p.persons)) {
		if whole, is := strings.CutSuffix(id, ".0"); is {
			if _, both := p.persons[whole]; both {
				return fault.New(fmt.Sprintf("%s: column %q holds %q and %q, which may be one person", p.name, p.options.Person, clip(whole), clip(id)),
					"write every id in one way: they are compared as text, so that 007 and 7 are two persons")
			}
		}
	}
	return nil
}

// nobody returns the error for a row that does not say to whom it belongs.
func (p *csvParser) nobody(line int, field string) error {
	return fault.New(fmt.Sprintf("%s line %d: column %q does not say whose the row is (%q)", p.name, line, p.options.Person, clip(field)),
		"write an id, or remove the row: a row of nobody known could be one of anybody's")
}

// checkPerson refuses a person column that also has a range or categories, or is the target.
func (s Shape) checkPerson() error {
	column := s.Persons.Column
	_, ranged := s.Ranges[column]
	_, listed := s.Categories[column]
	if column != "" && (ranged || listed || column == s.Target) {
		return fault.New(fmt.Sprintf("person: %q has a range or categories, or is the target", column), "a column that says whose rows are is nothing that is learnt from")
	}
	return nil
}

// Records returns the number of records of a shard: persons, or rows.
func (shard *Shard) Records() int {
	if shard.Persons > 0 {
		return shard.Persons
	}
	return shard.Train.Rows() + shard.Test.Rows()
}

// spread replaces the persons of an assignment by the rows that are learnt from.
func (r roll) spread(a assignment, seed uint64) assignment {
	a.order = r.learnt(a.order, seed, everyone)
	a.offsets = slices.Clone(a.offsets)
	for v := range a.offsets {
		a.offsets[v] *= r.most
	}
	return a
}

// notes says how persons' rows were used.
func (r roll) notes(t *Table, a assignment, p Persons) (notes []string) {
	persons, rows := r.over(a.order)
	notes = append(notes, fmt.Sprintf("A record is all rows of one %s. Of %d, %d are learnt from, each as %d rows: of who has more, rows are left out (%d rows of %d persons); of who has fewer, they are repeated.",
		p.Column, len(r.heads), len(a.order), p.Rows, rows, persons))
	if twice := len(r.heads) - len(slices.Compact(slices.Sorted(slices.Values(t.Persons)))); twice > 0 {
		notes = append(notes, fmt.Sprintf("Rows of one %s lie in several groups in %d cases: each group's are protected, and kept for testing or not, by themselves.", p.Column, twice))
	}
	return notes
}
