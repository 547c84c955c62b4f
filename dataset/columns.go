package dataset

import (
	"errors"
	"io"

	"github.com/hearsay-dp/hearsay/internal/textfile"
)

// A ColumnKind is the name of a file's column, and what it holds in a word: numbers, dates or text; "" where it holds nothing.
type ColumnKind struct{ Name, Kind string }

// ColumnKinds returns the columns of the CSV file at path, in its order. Names and kinds are all that it says: ranges and lists of
// values would be computed from rows.
func ColumnKinds(path string, n textfile.Notation) (kinds []ColumnKind, err error) {
	_, err = readFile(path, func(r io.Reader, name string) error {
		kinds, err = readKinds(r, name, n)
		return err
	})
	return kinds, err
}

func readKinds(r io.Reader, name string, n textfile.Notation) ([]ColumnKind, error) {
	p, err := openCSV(r, name, CSV{Notation: n})
	if err != nil {
		return nil, err
	}
	if err := p.readHeader(); err != nil {
		return nil, err
	}
	p.begin()
	if _, err := p.index(); err != nil {
		return nil, err
	}
	kinds := make([]ColumnKind, len(p.columns))
	for j, column := range p.columns {
		kinds[j].Name = column
	}
	for {
		row, err := p.in.Read()
		if errors.Is(err, io.EOF) {
			return kinds, nil
		}
		if err != nil {
			return nil, csvError(name, err)
		}
		if line, _ := p.in.FieldPos(0); len(row) != len(kinds) {
			return nil, p.ragged(line, row)
		}
		for j, field := range row {
			kinds[j].Kind = p.kind(j, kinds[j].Kind, field)
		}
	}
}

// kind is that of a column after one more field.
func (p *csvParser) kind(j int, before, field string) string {
	const numbers, someDates, text = "numbers", "dates", "text"
	if p.absent(j, field) || before == text {
		return before
	}
	is := text
	switch _, why := p.number(field); why {
	case "":
		is = numbers
	case aDate:
		is = someDates
	}
	if before != "" && before != is {
		return text
	}
	return is
}
