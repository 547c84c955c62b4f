package dataset

import (
	"fmt"
	"io"
	"slices"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/step"
)

// OpenShard reads the participant's CSV file at path. test is the share of its
// rows kept for testing; which ones they are depends on seed and node alone.
func (s Shape) OpenShard(path string, test float64, seed uint64, node step.NodeID) (shard *Shard, err error) {
	_, err = readFile(path, func(r io.Reader, name string) (err error) {
		shard, err = s.ReadShard(r, name, test, seed, node)
		return err
	})
	return shard, err
}

// ReadShard reads from r as OpenShard does from a file; name stands for r in messages. It ignores columns that
// the shape does not name. It returns an error for a missing column, a missing value without a fill in the
// shape, a value that is no number and no category, and a label that
// is no class.
func (s Shape) ReadShard(r io.Reader, name string, test float64, seed uint64, node step.NodeID) (*Shard, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	p, err := openCSV(r, name, CSV{Target: s.Target, Task: s.Task, Classes: s.Classes, SkipMissing: s.SkipMissing, Categories: s.Categories, Fill: s.Fill, Person: s.Persons.Column, Notation: s.Notation})
	if err != nil {
		return nil, err
	}
	shard := &Shard{}
	if err := s.assign(p, shard); err != nil {
		return nil, err
	}
	if err := p.rows(); err != nil {
		return nil, err
	}
	t, err := s.table(p)
	if err != nil {
		return nil, err
	}
	shard.Dropped = p.table.Dropped
	for j, column := range p.columns {
		if p.filled[j] > 0 {
			shard.Filled = append(shard.Filled, Limited{column, p.filled[j]})
		}
	}
	return shard, s.divide(shard, t, test, seed, node)
}

// assign reads the header and gives each column its role.
func (s Shape) assign(p *csvParser, shard *Shard) error {
	if err := p.readHeader(); err != nil {
		return err
	}
	p.begin()
	at, err := p.index()
	if err != nil {
		return err
	}
	wanted := s.Columns()
	for j, column := range p.columns {
		switch _, isFeature := slices.BinarySearch(wanted, column); {
		case column == s.Target:
			p.roles[j] = target
		case column == s.Persons.Column:
			p.roles[j] = person
		case !isFeature:
			p.roles[j] = dropped
			shard.Ignored = append(shard.Ignored, column)
		}
	}
	if s.Target != "" {
		wanted = append(wanted, s.Target)
	}
	if s.Persons.Column != "" {
		wanted = append(wanted, s.Persons.Column)
	}
	for _, column := range wanted {
		if _, found := at[column]; !found {
			return fault.New(fmt.Sprintf("%s has no column %q", p.name, column), "the spec asks for "+list(wanted)+"; the file has "+list(p.columns))
		}
	}
	return nil
}

// table puts the rows read into the order of the shape.
func (s Shape) table(p *csvParser) (*Table, error) {
	names, inFile := s.Features(), p.features()
	d := len(names)
	rows := len(p.table.X) / d
	if rows == 0 {
		return nil, fault.New(p.name+" has no rows", p.emptyHint())
	}
	t := &Table{Source: "csv", Target: s.Target, Task: s.Task, Features: names, X: make([]float64, rows*d), Y: p.table.Y, Persons: p.table.Persons}
	for j, name := range names {
		from := slices.Index(inFile, name)
		for i := range rows {
			t.X[i*d+j] = p.table.X[i*d+from]
		}
	}
	if s.Target == "" {
		t.Y = make([]float64, rows)
	}
	if s.Task != Classification {
		return t, nil
	}
	return t, s.label(t, p)
}

// label turns the texts of the target column into labels.
func (s Shape) label(t *Table, p *csvParser) error { return p.declared(t.Y, s.Target, s.Classes) }
