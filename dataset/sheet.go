package dataset

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/scatter"
	"github.com/hearsay-dp/hearsay/internal/textfile"
)

// A Layout is the recipe that turns the rows of a table into a trained model's features: which columns become
// which features, and how missing values are treated. The model was
// trained by the same recipe.
type Layout struct {
	Features    []string            // in the order that the model has them
	Target      string              // the label column, which need not be there
	Categories  map[string][]string // of every text column: the values that it can have
	Fill        map[string]string   // the value that replaces a missing one, by column
	SkipMissing bool                // rows with another missing value are left out; else they are an error

	Notation textfile.Notation // how the file is written
	Keep     []string          // columns of the file whose fields are kept as they are
}

// A Sheet holds rows to predict from, as they are in the file.
type Sheet struct {
	X       []float64 // of the complete rows, features in the order of the layout
	Place   []int     // of each row of the file among the complete ones; -1: a value is missing
	Labels  []string  // of each row of the file; nil where there is no target column
	Ignored []string  // columns that are neither feature nor target
	Kept    []string  // of each row of the file: its fields of the columns to keep, one after the other
}

// Columns returns the columns that a file must have.
func (l Layout) Columns() ([]string, error) {
	var columns []string
	owner := map[string]string{}
	for column := range l.Categories {
		for _, feature := range featuresOf(column, l.Categories) {
			if other, twice := owner[feature]; twice {
				return nil, fault.New(fmt.Sprintf("columns %q and %q both have a category %q", other, column, feature),
					"the model file was changed by hand: take the original")
			}
			owner[feature] = column
		}
	}
	seen := map[string]bool{}
	for _, feature := range l.Features {
		column, is := owner[feature]
		if !is {
			column = feature
			if l.Categories[column] != nil {
				return nil, fault.New(fmt.Sprintf("%q is a text column and a feature", column), "the model file was changed by hand: take the original")
			}
		}
		if !seen[column] {
			columns = append(columns, column)
		}
		seen[column] = true
	}
	return columns, nil
}

// Check refuses a layout that no file can have.
func (l Layout) Check() error {
	columns, err := l.Columns()
	if err != nil {
		return err
	}
	features := 0
	for _, column := range columns {
		features += len(featuresOf(column, l.Categories))
	}
	if sorted := slices.Sorted(slices.Values(l.Features)); len(slices.Compact(sorted)) != len(l.Features) || features != len(l.Features) || features == 0 {
		return fault.New("the features are not those of columns, each once", "the model file was changed by hand: take the original")
	}
	if err := l.Notation.Check(); err != nil {
		return err
	}
	if slices.Contains(columns, l.Target) || slices.Contains(columns, "") {
		return fault.New("a feature is the target, or has no name", "the model file was changed by hand: take the original")
	}
	c := CSV{Target: l.Target, Categories: l.Categories, Fill: l.Fill, Notation: l.Notation}
	return c.check("the model file", columns)
}

// Open reads the CSV file at path.
func (l Layout) Open(path string) (sheet *Sheet, err error) {
	_, err = readFile(path, func(r io.Reader, name string) (err error) {
		sheet, err = l.Read(r, name)
		return err
	})
	return sheet, err
}

// Read takes rows from r, which name stands for in messages. Columns are matched by
// name, in any order, and others ignored. A missing column, a value that is no number
// or no category, and a gap that the layout has nothing for are errors.
func (l Layout) Read(r io.Reader, name string) (*Sheet, error) {
	if err := l.Check(); err != nil {
		return nil, err
	}
	p, err := openCSV(r, name, CSV{SkipMissing: l.SkipMissing, Categories: l.Categories, Fill: l.Fill, Notation: l.Notation})
	if err != nil {
		return nil, err
	}
	sheet := &Sheet{}
	label, err := l.assign(p, sheet)
	if err != nil {
		return nil, err
	}
	keep, err := l.kept(p)
	if err != nil {
		return nil, err
	}
	if err := sheet.read(p, label, keep); err != nil {
		return nil, err
	}
	if len(sheet.Place) == 0 {
		return nil, fault.New(name+" has no rows", "give a file with at least one line below the header")
	}
	sheet.X = l.arrange(p)
	return sheet, nil
}

// assign reads the header; label is where the target column stands, -1 without one.
func (l Layout) assign(p *csvParser, sheet *Sheet) (label int, err error) {
	if err := p.readHeader(); err != nil {
		return -1, err
	}
	p.begin()
	at, err := p.index()
	if err != nil {
		return -1, err
	}
	wanted, err := l.Columns()
	if err != nil {
		return -1, err
	}
	for _, column := range wanted {
		if _, found := at[column]; !found {
			return -1, fault.New(fmt.Sprintf("%s has no column %q", p.name, column), "the model asks for "+list(wanted)+"; the file has "+list(p.columns))
		}
	}
	label = -1
	features := map[string]bool{}
	for _, column := range wanted {
		features[column] = true
	}
	for j, column := range p.columns {
		switch {
		case features[column]:
			continue
		case column == l.Target:
			label = j
		default:
			sheet.Ignored = append(sheet.Ignored, column)
		}
		p.roles[j] = dropped
	}
	return label, nil
}

// kept returns the places of the columns to keep.
func (l Layout) kept(p *csvParser) (at []int, err error) {
	for _, column := range l.Keep {
		j := slices.Index(p.columns, column)
		if j < 0 {
			return nil, fault.New(fmt.Sprintf("%s has no column %q to keep", p.name, column), "its columns are: "+list(p.columns))
		}
		at = append(at, j)
	}
	return at, nil
}

// read takes all rows, and keeps fields of columns as they are.
func (s *Sheet) read(p *csvParser, label int, keep []int) error {
	complete := 0
	for {
		row, err := p.in.Read()
		switch {
		case errors.Is(err, io.EOF):
			return p.unreadable()
		case err != nil:
			return csvError(p.name, err)
		}
		left := p.table.Dropped
		if label >= 0 && label < len(row) {
			s.Labels = append(s.Labels, strings.Clone(strings.TrimSpace(row[label])))
		}
		if err := p.row(row); err != nil { // it has a field for each column
			return err
		}
		for _, j := range keep {
			s.Kept = append(s.Kept, strings.Clone(row[j]))
		}
		if p.table.Dropped > left {
			s.Place = append(s.Place, -1)
			continue
		}
		s.Place = append(s.Place, complete)
		complete++
	}
}

// unreadable returns everything that is wrong with the columns in one error, with the remedy
// for a trained model.
func (p *csvParser) unreadable() error {
	if err := p.trouble(); err != nil {
		return fault.New(err.Error(), "correct the values, or leave the rows out: the model was trained without any like them")
	}
	return nil
}

// arrange puts the rows read into the order of the layout.
func (l Layout) arrange(p *csvParser) []float64 {
	place, d := map[string]int{}, len(l.Features)
	for j, name := range p.features() {
		place[name] = j
	}
	x := make([]float64, len(p.table.X))
	for j, name := range l.Features {
		from := place[name]
		for i := 0; i < len(x); i += d {
			x[i+j] = p.table.X[i+from]
		}
	}
	return x
}

// Transform returns rows as a federation's are made: scaled by columns, encoded by chain, nil
// meaning as they are, then to norm 1 with unit. d is how many numbers a row has in the end.
// It leaves x as it is.
func Transform(x []float64, columns []Column, chain *scatter.Chain, unit bool, d int) []float64 {
	x = slices.Clone(x)
	if columns != nil {
		apply(columns, x)
	}
	x = chain.Encode(x, runtime.GOMAXPROCS(0))
	if unit {
		UnitNorm(x, d)
	}
	return x
}
