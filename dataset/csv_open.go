package dataset

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/textfile"
)

// openCSV begins to read a table of text.
func openCSV(r io.Reader, name string, c CSV) (*csvParser, error) {
	if err := c.Notation.Check(); err != nil {
		return nil, err
	}
	text := textfile.NewReader(c.Notation.Decode(r, name), name)
	text.Encoding = "say how it is written, such as encoding: windows-1252 under data in a spec, --encoding windows-1252 on the command line; or, "
	head, err := text.Head()
	if err != nil {
		return nil, readError(name, err)
	}
	if form := textfile.Form(head); form != "" {
		return nil, fault.New(fmt.Sprintf("%s is %s", name, form), "give a table as CSV: a line of column names, then one line a row, commas between columns")
	}
	p := &csvParser{name: name, options: c, from: r, text: text, labels: newLegend(), groups: newLegend(), persons: map[string]int32{}}
	p.in = csv.NewReader(text)
	p.in.FieldsPerRecord, p.in.ReuseRecord = -1, true
	return p, p.separate(head)
}

// separate finds the separator of columns by the first line, and removes a spreadsheet's line
// sep=, if there is one.
func (p *csvParser) separate(head []byte) error {
	line, _, _ := bytes.Cut(bytes.ReplaceAll(head, []byte("\r"), []byte("\n")), []byte("\n"))
	if mark, is := bytes.CutPrefix(line, []byte("sep=")); is && len(mark) <= 1 {
		if _, err := p.in.Read(); err != nil {
			return csvError(p.name, err)
		}
		line = mark
	}
	counts := map[byte]int{}
	quoted := false
	for _, b := range line {
		if b == '"' {
			quoted = !quoted
		} else if !quoted {
			counts[b]++
		}
	}
	base := strings.TrimSuffix(strings.ToLower(p.name), ".gz")
	switch {
	case p.options.Notation.Comma() != 0:
		p.in.Comma = p.options.Notation.Comma()
		p.in.TrimLeadingSpace = p.in.Comma != '\t'
	case counts['\t'] > 0 && counts[','] == 0, strings.HasSuffix(base, ".tsv"), strings.HasSuffix(base, ".tab"):
		p.in.Comma = '\t' // blanks before a field would swallow tabs: row takes them away
	case counts[';'] > counts[','], counts['|'] > counts[',']:
		mark := ";"
		if counts['|'] > counts[';'] {
			mark = "|"
		}
		return fault.New(fmt.Sprintf("%s line 1: the columns of %q are not separated by commas", p.name, clip(string(line))),
			fmt.Sprintf(`say how the table is written: separator: "%s" under data in a spec, --separator '%[1]s' on the command line; and decimal: "," or --decimal , if numbers are written as 1,5`, mark))
	default:
		p.in.TrimLeadingSpace = true
	}
	if p.options.Notation.Decimal == "," && p.in.Comma == ',' {
		return fault.New(p.name+": commas stand between columns and in numbers", `say what stands between columns: separator: ";" under data in a spec, --separator ';' on the command line; or leave decimal out`)
	}
	return nil
}

// readHeader takes the column names from the first line, without the spaces around them.
func (p *csvParser) readHeader() error {
	first, err := p.in.Read()
	switch {
	case errors.Is(err, io.EOF):
		return fault.New(p.name+" is empty", "the first line must name the columns")
	case err != nil:
		return csvError(p.name, err)
	}
	if len(first) > maxFeatures {
		return fault.New(fmt.Sprintf("%s has %d columns, and at most %d are read", p.name, len(first), maxFeatures), "give a table with one row a line")
	}
	p.columns = slices.Clone(first)
	for j, column := range p.columns {
		p.columns[j] = strings.Clone(strings.TrimSpace(column))
	}
	return p.namesOnly()
}

const noHeader = "if the table has no line of column names, write one before its first row; else give columns names that are no values"

// namesOnly refuses a first line of numbers, which is a row. Numbers from 0 or 1 upwards are
// the names that programs give.
func (p *csvParser) namesOnly() error {
	counted := len(p.columns) > 1
	first, _ := strconv.Atoi(p.columns[0])
	for j, column := range p.columns {
		if _, why := p.number(column); why != "" && !isMissing(column) {
			return nil
		}
		counted = counted && column == strconv.Itoa(first+j) && first <= 1 && first >= 0
	}
	if counted {
		p.table.Notes = append(p.table.Notes, "The first line holds numbers, which were taken for the names of the columns: "+list(p.columns)+".")
		return nil
	}
	return fault.New(fmt.Sprintf("%s line 1 holds numbers, and no names of columns: %s", p.name, list(p.columns)), noHeader)
}

// firstRow refuses a table whose first line could be one of its rows in every column.
func (p *csvParser) firstRow() error {
	if p.options.Header != nil {
		return nil
	}
	numbers := 0
	for j, column := range p.columns {
		values := p.seen[j]
		_, why := p.number(column)
		switch {
		case p.roles[j] == dropped:
		case why == "" && values.number:
			numbers++
		case values.number, !slices.Contains(values.texts, column):
			return nil
		}
	}
	if numbers == 0 || len(p.table.Notes) > 0 {
		return nil
	}
	return fault.New(fmt.Sprintf("%s line 1 is a row like the others, and no line of column names: %s", p.name, list(p.columns)), noHeader)
}

// rows reads all of them.
func (p *csvParser) rows() error {
	for {
		row, err := p.in.Read()
		if errors.Is(err, io.EOF) {
			return cmp.Or(p.trouble(), p.checkPersons())
		}
		if err != nil {
			return csvError(p.name, err)
		}
		if err := p.row(row); err != nil {
			return err
		}
	}
}

// seen records which kinds of fields a column has.
type seen struct {
	number bool     // one of them is a number
	texts  []string // distinct fields, those that are numbers too, up to one more than mostListed
}

// add notes a field.
func (s *seen) add(field string) {
	if len(s.texts) > mostListed && s.number || slices.Contains(s.texts, field) {
		return
	}
	if !s.number {
		_, why := finite(field)
		s.number = why == ""
	}
	if len(s.texts) <= mostListed {
		s.texts = append(s.texts, strings.Clone(field))
	}
}
