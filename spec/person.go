package spec

import (
	"fmt"
	"slices"
)

// mostPersonRows is the largest number of rows of a person.
const mostPersonRows = 1024

// RecordRows returns the number of rows that a record is learnt from: rows_per_person if persons are protected, else 1.
func (s *Spec) RecordRows() int {
	if s.Data.Person == "" {
		return 1
	}
	return s.Data.RowsPerPerson
}

// RecordWord returns "person" or "row", the short name of a record.
func (s *Spec) RecordWord() string {
	if s.Data.Person != "" {
		return "person"
	}
	return "row"
}

// OneRecord names one record in words, such as "one patient's row" or "all rows of one patient, at most 4".
func (s *Spec) OneRecord() string {
	name := s.Privacy.RecordName
	switch {
	case s.Data.Person != "" && (name == "" || name == "row"):
		return fmt.Sprintf("all rows of one person, at most %d", s.Data.RowsPerPerson)
	case s.Data.Person != "":
		return fmt.Sprintf("all rows of one %s, at most %d", name, s.Data.RowsPerPerson)
	case name == "" || name == "row":
		return "one row"
	}
	return "one " + name + "'s row"
}

// checkPerson checks the keys that say to whom rows belong, for specs that protect a person with all their rows.
func (s *Spec) checkPerson() error {
	d := &s.Data
	if d.Person == "" {
		if d.RowsPerPerson != 0 {
			return invalid(fmt.Sprintf("data.rows_per_person: %d, but no column says whose rows are", d.RowsPerPerson), "give data.person, such as person: patient_id, or leave it out")
		}
		return nil
	}
	_, ranged := d.Ranges[d.Person]
	_, listed := d.Categories[d.Person]
	_, filled := d.Fill[d.Person]
	for _, wrong := range []struct {
		bad        bool
		what, hint string
	}{
		{!s.Records(), fmt.Sprintf("data.person: %s, but the unit of privacy is a participant, with everybody in it", d.Person), "set privacy.unit: record, or leave person out"},
		{d.Source != "csv", fmt.Sprintf("data.person: %s, but source %s has no such column", d.Person, d.Source), "use source: csv, or leave person out"},
		{d.RowsPerPerson < 1 || d.RowsPerPerson > mostPersonRows, fmt.Sprintf("data.rows_per_person: %d rows of one %s", d.RowsPerPerson, d.Person),
			fmt.Sprintf("give from 1 to %d, such as rows_per_person: 4: of who has more, others are left out", mostPersonRows)},
		{ranged || listed || filled || d.Person == d.Target || slices.Contains(d.Drop, d.Person) || d.Partition == "column:"+d.Person,
			fmt.Sprintf("data.person: %s is used for something else too", d.Person), "leave the column out of ranges, categories, fill, drop, partition and target: it says whose rows are, and nothing is learnt from it"},
	} {
		if wrong.bad {
			return invalid(wrong.what, wrong.hint)
		}
	}
	return nil
}
