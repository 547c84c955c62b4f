package dataset

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/scatter"
	"github.com/hearsay-dp/hearsay/internal/textfile"
	"github.com/hearsay-dp/hearsay/step"
)

// A Shape holds the public facts about the data that all participants of a federation share before
// anybody has read any: columns, their public ranges, labels. Nothing in it is
// fitted to data. The features of a row depend on the row and the shape alone.
type Shape struct {
	Target   string                // the label column; "" with Task Mean
	Task     Task                  // the kind of the labels
	Classes  []string              // Classification: the labels, of two that of -1 first
	Ranges   map[string][2]float64 // of every column of numbers, and in a regression of the target
	ByIndex  bool                  // which rows are kept for testing follows from their place alone, not from their class
	Encoding *scatter.Encoding     // of rows after the ranges; nil: they stay as they are
	Unit     bool                  // rows are scaled to norm 1 after all this

	Categories  map[string][]string // of every text column: the values that it can have
	Fill        map[string]string   // the value that replaces a missing one, by column
	SkipMissing bool                // rows without another value are left out; else they are an error
	Persons     Persons             // whose rows they are

	Notation textfile.Notation // how files are written; each participant may say otherwise of its own

	External bool // rows stay in a program, and all that is known of one is its number
}

// Columns returns the columns that a file must have besides the target, in the order
// of their names.
func (s Shape) Columns() []string {
	names := slices.Concat(slices.Collect(maps.Keys(s.Ranges)), slices.Collect(maps.Keys(s.Categories)))
	slices.Sort(names)
	return slices.DeleteFunc(names, func(name string) bool { return name == s.Target })
}

// Features returns the features in the order of their columns. Those of a text
// column stand in the order of its categories.
func (s Shape) Features() (names []string) {
	for _, column := range s.Columns() {
		names = append(names, featuresOf(column, s.Categories)...)
	}
	return names
}

// Check refuses ranges that are none, labels that are no classes, and a recipe
// for columns that makes no sense.
func (s Shape) Check() error {
	if s.External {
		return nil
	}
	features := s.Features()
	if len(features) == 0 {
		return fault.New("ranges: no feature has one", "give the lowest and the highest value of each feature")
	}
	if err := s.checkRecipe(); err != nil {
		return err
	}
	slices.Sort(features)
	for k, name := range features[1:] {
		if name == features[k] {
			return fault.New(fmt.Sprintf("two features are called %q", name), "a column has a range or categories, and no column is called as a category of another")
		}
	}
	if k := len(s.Classes); s.Task == Classification && (k < 2 || k > maxClasses) {
		return fault.New(fmt.Sprintf("classes: %d are given", k), "give the labels, at least two; of two the positive one last")
	}
	if _, _, err := s.columns(); err != nil {
		return err
	}
	if err := s.checkPixels(); err != nil {
		return err
	}
	_, err := s.Encoding.Chain(len(features))
	return err
}

// checkPixels refuses pictures whose pixels are not in the order of the numbers in their names.
func (s Shape) checkPixels() error {
	if s.Encoding == nil || s.Encoding.Shape == nil {
		return nil
	}
	features := s.Features()
	for k, name := range features[1:] {
		if before := features[k]; counted(before) > counted(name) {
			return fault.New(fmt.Sprintf("column %q comes before %q, as text: pixels of a picture would be mixed up", before, name),
				fmt.Sprintf("write numbers in the names of columns with as many digits, such as %q", counted(name)))
		}
	}
	return nil
}

// digitRuns matches numbers in the name of a column.
var digitRuns = regexp.MustCompile("[0-9]+")

// counted returns a name with its numbers padded to five digits. Such names have the same order as text and as numbers.
func counted(name string) string {
	return digitRuns.ReplaceAllStringFunc(name, func(digits string) string { return strings.Repeat("0", max(0, 5-len(digits))) + digits })
}

// checkRecipe refuses a shape by which no row could be read.
func (s Shape) checkRecipe() error {
	for _, column := range slices.Sorted(maps.Keys(s.Categories)) {
		if err := checkCategories(column, s.Categories[column]); err != nil {
			return err
		}
		if _, ranged := s.Ranges[column]; ranged || column == s.Target {
			return fault.New(fmt.Sprintf("categories: %q has a range, or is the target", column),
				"a text column has categories and nothing else; the labels of the target are its classes")
		}
	}
	if err := cmp.Or(s.Notation.Check(), s.Persons.Check(), s.checkPerson()); err != nil {
		return err
	}
	if err := checkMissing(s.Notation.Missing, s.Classes, s.Categories); err != nil {
		return err
	}
	for _, column := range slices.Sorted(maps.Keys(s.Fill)) {
		r, ranged := s.Ranges[column]
		switch {
		case column == s.Target:
			return fault.New(fmt.Sprintf("fill: %q is the target", column), "rows without a label can only be left out (missing: drop)")
		case !ranged && s.Categories[column] == nil:
			return fault.New(fmt.Sprintf("fill: %q is no feature", column), "the features are "+list(s.Columns()))
		}
		if err := checkFill(column, s.Fill[column], s.Categories); err != nil {
			return err
		}
		if ranged && !inRange(s.Fill[column], r) {
			return fault.New(fmt.Sprintf("fill: %s: %s is out of its range %v", column, s.Fill[column], r), "give a value within the range")
		}
	}
	return nil
}

// columns returns the scaling of features and, in a regression, of the label.
func (s Shape) columns() (features []Column, label *Column, err error) {
	if features, err = byRange(s.Features(), rangesWith(s.Ranges, s.Categories)); err != nil || s.Task != Regression {
		return features, nil, err
	}
	labels, err := byRange([]string{s.Target}, s.Ranges)
	if err != nil {
		return nil, nil, err
	}
	return features, &labels[0], nil
}

// Empty returns the federation of this shape in which no node holds any row: all
// public facts. The shape must pass Check.
func (s Shape) Empty(nodes int) (*Federation, error) {
	if s.External {
		return &Federation{Source: External, Task: Mean, FeatureNames: []string{rowNumber}, Partition: "participants",
			Shards: &Shards{Features: 1, Offsets: make([]int, nodes+1)}, Test: Block{Features: 1}, Bound: math.Inf(1)}, nil
	}
	columns, label, err := s.columns()
	if err != nil {
		return nil, err
	}
	d := len(columns)
	f := &Federation{
		Source: "csv", Target: s.Target, Task: s.Task, Classes: s.Classes, FeatureNames: s.Features(), Partition: "participants",
		Shards: &Shards{Features: d, Offsets: make([]int, nodes+1)}, Test: Block{Features: d},
		Columns: columns, Label: label, Unit: s.Unit, Bound: math.Sqrt(float64(d)), Categories: s.Categories, Fill: s.Fill,
	}
	if err := f.encode(Options{Encoding: func(int) *scatter.Encoding { return s.Encoding }}); err != nil {
		return nil, err
	}
	if s.Unit {
		f.Bound = 1
	}
	return f, nil
}

// Finish turns the rows of b, whose columns are scaled, into those that a model takes. The shape must pass Check.
func (s Shape) Finish(b *Block) {
	chain, err := s.Encoding.Chain(b.Features)
	if err != nil {
		panic("dataset: " + err.Error()) // Check says so before
	}
	if chain != nil {
		b.X, b.Features = chain.Encode(b.X, runtime.GOMAXPROCS(0)), chain.Size()
	}
	if s.Unit {
		UnitNorm(b.X, b.Features)
	}
}

// A Shard holds one participant's rows, scaled: training rows, and rows
// that it keeps to itself for testing.
type Shard struct {
	Train, Test Block
	Limited     []Limited // columns with values outside of their range
	Filled      []Limited // columns with missing values, which the shape's took the place of
	Dropped     int       // rows that were left out for a missing value
	Persons     int       // number of persons of all rows; 0: not known
	Spare       Spare     // rows of persons with more than are learnt from
	Ignored     []string  // columns of the file that are neither feature nor target
}

// Limited counts the values of a column that are not as the file has them: moved to
// the end of its range, or filled in.
type Limited struct {
	Column string `json:"column"`
	Values int    `json:"values"`
}

// divide splits rows, counts values out of range and scales.
func (s Shape) divide(shard *Shard, t *Table, test float64, seed uint64, node step.NodeID) error {
	features, label, err := s.columns()
	if err != nil {
		return err
	}
	shard.count(features, t.X)
	apply(features, t.X)
	if label != nil {
		shard.count([]Column{*label}, t.Y)
		apply([]Column{*label}, t.Y)
	}
	var stream step.Stream
	roll := t.roll(s.Persons.Rows)
	strata := t.strata(roll.heads)
	if s.ByIndex {
		strata = t.places(roll.heads, "")
	}
	train, kept, err := split(t, test, strata, stream.At(seed, node, splitTurn, 0, step.Data))
	if err != nil {
		return err
	}
	if t.Persons != nil {
		shard.Persons = len(roll.heads)
		shard.Spare.Persons, shard.Spare.Rows = roll.over(train)
	}
	shard.Train, shard.Test = gather(t, roll.learnt(train, seed, node)), gather(t, roll.all(kept))
	s.Finish(&shard.Train)
	s.Finish(&shard.Test)
	return nil
}

// count notes the values of row-major x that their column's range does not
// hold.
func (shard *Shard) count(columns []Column, x []float64) {
	for j, c := range columns {
		outside := 0
		for i := j; i < len(x); i += len(columns) {
			if math.Abs((x[i]-c.Shift)*c.Factor) > c.Limit*(1+1e-12) {
				outside++
			}
		}
		if outside > 0 {
			shard.Limited = append(shard.Limited, Limited{c.Name, outside})
		}
	}
}
