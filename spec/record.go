package spec

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hearsay-dp/hearsay/internal/yamltext"
)

// The units of privacy.
const (
	UnitParticipant = "participant" // all the data of one participant
	UnitRecord      = "record"      // one row of one participant
)

// Records reports whether one record is the unit of privacy.
func (s *Spec) Records() bool { return s.Privacy.Unit == UnitRecord }

// mostClip keeps sums of clipped gradients far from the end of the range of numbers,
// where one of them could make a mean infinite.
const mostClip = 1e100

// recordForm matches a word or two. It does not limit their length, because compiling the classes repeated up to 40 times would take
// a third of the program's start.
var recordForm = regexp.MustCompile(`^[\pL\pN][\pL\pN '-]*$`)

// isRecordName reports whether name is a word or two of at most 40 letters.
func isRecordName(name string) bool {
	return utf8.RuneCountInString(name) <= 40 && recordForm.MatchString(name)
}

// checkUnit refuses settings by which one record could change more than its own gradient, and fills in
// their replacements. docs/SPEC.md lists everything that is computed from rows.
func (s *Spec) checkUnit() error {
	p, a, d := &s.Privacy, &s.Algorithm, &s.Data
	if err := OneOf("privacy.unit", p.Unit, UnitParticipant, UnitRecord); err != nil {
		return err
	}
	if d.Split != "" {
		if err := OneOf("data.split", d.Split, "class", "index"); err != nil {
			return err
		}
	}
	if err := s.checkPerson(); err != nil {
		return err
	}
	if !s.Records() {
		if p.RecordName != "" {
			return invalid(fmt.Sprintf("privacy.record_name: %s, but the unit of privacy is a participant", p.RecordName),
				"set privacy.unit: record, or leave record_name out")
		}
		return s.checkNoRows()
	}
	if d.Split == "" {
		d.Split = "index"
	}
	a.Fill = false
	partition, _, _ := strings.Cut(d.Partition, ":")
	for _, wrong := range []struct {
		bad        bool
		what, hint string
	}{
		{p.RecordName != "" && !isRecordName(p.RecordName), fmt.Sprintf("privacy.record_name: %q is no word", p.RecordName),
			"give what one row is, such as patient"},
		{d.Scale == "standardise", "data.scale: standardise takes means and deviations of all rows, which one record moves for all others",
			"use scale: ranges, with the public range of each feature"},
		{d.Split == "class", "data.split: class keeps as many rows of each class, so that one record's label moves others between the parts",
			"use split: index, or leave split out"},
		{partition == "position" || partition == "dirichlet", fmt.Sprintf("data.partition: %s looks at all rows to say who holds which, so that one record moves others", d.Partition), "use uniform or column:NAME"},
		{d.Source == "houses" && d.Task != "regression" && d.Threshold == nil, "data.source: houses has classes that compare each row with the mean of all, which one record moves",
			"give data.threshold, a public value to compare with, such as threshold: -119.6 for longitude, or use task: regression with model: {kind: ridge}"},
		{p.Accountant == "published", "privacy.accountant: published, but the formulas in print are about participants", "leave accountant out"},
		{a.Clip > mostClip, fmt.Sprintf("algorithm.clip: %g is as good as no clip", a.Clip), fmt.Sprintf("give at most %g", mostClip)},
	} {
		if wrong.bad {
			return invalid(wrong.what, wrong.hint)
		}
	}
	return s.checkRows()
}

// checkFillGiven refuses fill with records as the unit, where a spec asks for it.
func (s *Spec) checkFillGiven(doc *yamltext.Document) error {
	given := struct {
		Algorithm struct {
			Fill bool `yaml:"fill"`
		} `yaml:"algorithm"`
	}{}
	if err := doc.Glance(&given); err != nil {
		return err
	}
	if s.Records() && given.Algorithm.Fill {
		return invalid("algorithm.fill: a node's scale follows from all of its rows, so that one record moves what the others count for",
			"leave fill out: with privacy.unit: record it is off; weigh_rows weighs rows alike by a public number")
	}
	return nil
}

// checkRows checks the number of rows that each participant of a federation states, from 1 to mostRows.
func (s *Spec) checkRows() error {
	for _, p := range s.Participants {
		switch {
		case p.Rows == 0:
			return invalid(fmt.Sprintf("participants: %s says not how many rows it has", p.Name),
				"give each participant rows: the number of rows of its file, or fewer; with privacy.unit: record the noise follows from it")
		case p.Rows < 1 || p.Rows > mostRows:
			return invalid(fmt.Sprintf("participants: %s has %d rows", p.Name, p.Rows), fmt.Sprintf("give from 1 to %d", mostRows))
		}
	}
	return nil
}

// checkNoRows refuses numbers of rows in specs that do not use them.
func (s *Spec) checkNoRows() error {
	if i := slices.IndexFunc(s.Participants, func(p Participant) bool { return p.Rows != 0 }); i >= 0 {
		return invalid(fmt.Sprintf("participants: %s says how many rows it has, which is protected with all else of it", s.Participants[i].Name),
			"leave rows out, or set privacy.unit: record")
	}
	return nil
}

// mostRows is the largest number of rows of a participant whose records are protected one by one.
const mostRows = 1 << 26
