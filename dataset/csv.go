package dataset

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/textfile"
)

// CSV says how to read a comma-separated table.
type CSV struct {
	Header      []string // column names; nil: the first line has them
	Target      string   // the label column
	Task        Task     // Classification: labels may be any text; Regression: numbers
	Group       string   // a column that names each row's owner, never a feature; "" if none
	Person      string   // a column that says whose each row is, never a feature; "" if none
	Drop        []string // columns to leave out
	Classes     []string // Classification: all labels, of two that of -1 first; nil: those that occur, in order
	SkipMissing bool     // leave out rows with a missing value instead of failing

	Categories map[string][]string // public values of text columns: each becomes a feature that is 0 or 1
	Fill       map[string]string   // public values that stand for missing ones, by column

	Notation textfile.Notation // how the file is written
	Flags    bool              // hints name flags of hearsay data info, not keys of a spec
}

// ReadCSV reads a table from r; name stands for it in messages. Every column
// but the target, the group and the dropped ones is a feature. Its fields must be
// finite numbers, or categories of the column. An empty field, "?" and marks that programs write
// for no value, such as NA, NaN, NULL, #N/A and \N, are missing values, unless Categories
// or Classes list them. Tabs may stand between columns instead of commas. One error reports all
// wrong values at once.
func ReadCSV(r io.Reader, name string, c CSV) (*Table, error) {
	p, err := openCSV(r, name, c)
	if err != nil {
		return nil, err
	}
	if err := p.header(); err != nil {
		return nil, err
	}
	if err := p.rows(); err != nil {
		return nil, err
	}
	return p.finish()
}

// role is the use of a column.
type role uint8

const (
	feature role = iota
	target
	group
	person
	dropped
)

// csvParser gathers rows of one file.
type csvParser struct {
	name      string
	options   CSV
	from      io.Reader
	text      *textfile.Reader
	in        *csv.Reader
	columns   []string
	roles     []role
	seen      []seen
	missing   []int // rows without a value, by column
	filled    []int // of them, rows that were given one
	labels    *legend
	groups    *legend
	persons   map[string]int32
	troubles  []trouble
	troubleAt map[troubleOf]int // where in troubles
	classes   []int32           // label codes, Classification only
	table     Table
}

// header takes the column names and decides the role of each column.
func (p *csvParser) header() error {
	if p.columns = p.options.Header; p.columns == nil {
		if err := p.readHeader(); err != nil {
			return err
		}
	}
	if err := p.options.check(p.name, p.columns); err != nil {
		return err
	}
	p.begin()
	return p.assign()
}

// begin allocates the state that is kept of each column.
func (p *csvParser) begin() {
	p.roles, p.seen = make([]role, len(p.columns)), make([]seen, len(p.columns))
	p.missing, p.filled = make([]int, len(p.columns)), make([]int, len(p.columns))
}

// assign gives every column its role.
func (p *csvParser) assign() error {
	where, err := p.index()
	if err != nil {
		return err
	}
	if p.options.Target == "" {
		return fault.New(p.name+": no target column given", "name the label with "+p.options.setting("target", "COLUMN")+", one of "+list(p.columns))
	}
	for _, use := range []struct {
		role  role
		names []string
	}{{dropped, p.options.Drop}, {group, []string{p.options.Group}}, {person, []string{p.options.Person}}, {target, []string{p.options.Target}}} {
		for _, column := range use.names {
			if column == "" {
				continue
			}
			j, ok := where[column]
			if !ok {
				return fault.New(fmt.Sprintf("%s has no column %q", p.name, column), "its columns are: "+list(p.columns))
			}
			if p.roles[j] != feature {
				return fault.New(fmt.Sprintf("%s: column %q is asked for twice", p.name, column), "the target, the group, the person and the dropped columns must differ")
			}
			p.roles[j] = use.role
		}
	}
	return nil
}

// index maps column names to their position and adds the features to the table.
func (p *csvParser) index() (map[string]int, error) {
	where := make(map[string]int, len(p.columns))
	for j, column := range p.columns {
		if column == "" {
			return nil, fault.New(fmt.Sprintf("%s line 1: column %d has no name", p.name, j+1), "the first line must name every column; rows are numbered without a name by write.csv of R, "+
				"unless row.names = FALSE, and by to_csv of pandas, unless index=False")
		}
		if _, ok := where[column]; ok {
			return nil, fault.New(fmt.Sprintf("%s line 1: two columns are called %q", p.name, column), "give every column its own name")
		}
		where[column] = j
	}
	return where, nil
}

// row adds one row.
func (p *csvParser) row(row []string) error {
	line, _ := p.in.FieldPos(0)
	if len(row) != len(p.columns) {
		return p.ragged(line, row)
	}
	start, skip := len(p.table.X), false
	for j, field := range row {
		row[j] = strings.TrimSpace(field)
		field = row[j]
		if !p.absent(j, field) {
			p.seen[j].add(p.pointed(field))
		} else {
			p.missing[j]++
			if p.roles[j] == dropped {
				continue
			}
			if _, has := p.options.Fill[p.columns[j]]; has && p.roles[j] == feature {
				continue
			}
			if p.roles[j] == person {
				return p.nobody(line, field)
			}
			if !p.options.SkipMissing {
				p.note(j, line, noValue, field)
			}
			skip = true
		}
	}
	if skip {
		p.table.Dropped++
		return nil
	}
	for j, field := range row {
		p.field(line, j, p.given(j, field))
	}
	if len(p.table.X) > freeCells && len(p.table.X) > cellLimit(p.from, p.text.Bytes()) {
		return checkCellsUpTo(0, p.name, len(p.table.Y), len(p.table.X)-start)
	}
	if len(p.table.X)-start == 0 && len(p.troubles) == 0 {
		return fault.New(p.name+" has no feature column", "keep at least one column besides the target")
	}
	return nil
}

// field adds one value where its column's role wants it.
func (p *csvParser) field(line, j int, field string) {
	switch {
	case p.roles[j] == dropped:
		return
	case p.roles[j] == group:
		p.table.Groups = append(p.table.Groups, p.groups.code(field))
		return
	case p.roles[j] == person:
		p.person(field)
		return
	case p.roles[j] == target && p.options.Task == Classification:
		p.classes = append(p.classes, p.labels.number(field))
		p.table.Y = append(p.table.Y, 0)
		return
	}
	if list := p.options.Categories[p.columns[j]]; list != nil && p.roles[j] == feature {
		p.category(line, j, field, list)
		return
	}
	v, why := p.number(field)
	if why != "" {
		p.note(j, line, why, field)
	}
	if p.roles[j] == target {
		p.table.Y = append(p.table.Y, v)
	} else {
		p.table.X = append(p.table.X, v)
	}
}

// ragged describes a row of the wrong length.
func (p *csvParser) ragged(line int, row []string) error {
	if len(row) < len(p.columns) {
		return fault.New(fmt.Sprintf("%s line %d has %d fields instead of %d: column %q is missing", p.name, line, len(row),
			len(p.columns), p.columns[len(row)]), "every line must have one field for each column of the header")
	}
	return fault.New(fmt.Sprintf("%s line %d has %d fields instead of %d: %q comes after the last column %q", p.name, line,
		len(row), len(p.columns), clip(row[len(p.columns)]), p.columns[len(p.columns)-1]),
		"every line must have one field for each column of the header; quote text that holds a comma")
}

// finish makes the table of the rows read.
func (p *csvParser) finish() (*Table, error) {
	t := &p.table
	t.Features = p.features()
	for j, column := range p.columns {
		if p.missing[j] > 0 {
			t.Missing = append(t.Missing, Missing{column, p.missing[j]})
		}
		if p.filled[j] > 0 {
			t.Notes = append(t.Notes, fmt.Sprintf("Missing values of %s became %s (data.fill).", column, p.options.Fill[column]))
		}
	}
	if t.Rows() == 0 {
		return nil, fault.New(p.name+" has no rows", p.emptyHint())
	}
	t.Source, t.Target, t.Task = "csv", p.options.Target, p.options.Task
	if p.options.Group != "" {
		t.Group, t.GroupNames = p.options.Group, p.groups.sort(t.Groups)
	}
	if t.Task != Classification {
		return t, nil
	}
	if t.Classes = p.options.Classes; t.Classes != nil {
		return t, p.declared(t.Y, t.Target, t.Classes)
	}
	return t, labelClasses(t, p.name, p.labels, p.classes)
}

// features returns the names of the features, in the order of the file.
func (p *csvParser) features() (names []string) {
	for j, column := range p.columns {
		if p.roles[j] == feature {
			names = append(names, featuresOf(column, p.options.Categories)...)
		}
	}
	return names
}

// emptyHint returns a hint why there are no rows.
func (p *csvParser) emptyHint() string {
	if p.table.Dropped > 0 {
		return fmt.Sprintf("all %d rows have a missing value: drop the columns that have most of them", p.table.Dropped)
	}
	return "give a file with at least one line below the header"
}

// csvError names the line of a malformed record.
func csvError(name string, err error) error {
	var bad *csv.ParseError
	if errors.As(err, &bad) {
		return fault.New(fmt.Sprintf("%s line %d: %v", name, bad.Line, bad.Err), "quotes must come in pairs, around whole fields")
	}
	return readError(name, err)
}

const notNumber = "not a number"

// finite parses a number, or says why it is none.
func finite(field string) (v float64, why string) {
	v, err := strconv.ParseFloat(field, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, "too large"
	case err != nil:
		return 0, notNumber
	case math.IsNaN(v):
		return 0, "NaN"
	case math.IsInf(v, 0):
		return 0, "infinite"
	}
	return v, ""
}

// clip shortens text for a message.
func clip(s string) string {
	if len(s) > 40 {
		return s[:37] + "..."
	}
	return s
}

// list writes names for a hint, not too many of them.
func list(names []string) string {
	more := ""
	if len(names) > 20 {
		names, more = names[:20], fmt.Sprintf(" and %d more", len(names)-20)
	}
	shown := make([]string, len(names))
	for i, name := range names {
		shown[i] = name
		if quoted := strconv.Quote(name); quoted != `"`+name+`"` {
			shown[i] = quoted
		}
	}
	return strings.Join(shown, ", ") + more
}
