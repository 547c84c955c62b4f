package dataset

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/step"
)

// A Shape is what all participants of a federation know of the data before
// anybody has read any: columns, their public ranges, labels. Nothing in it is
// fitted to data. What is made of a row depends on the row and the shape alone.
type Shape struct {
	Target  string                // the label column; "" with Task Mean
	Task    Task                  // what the labels are
	Classes []string              // Classification: the two labels, that of -1 first
	Ranges  map[string][2]float64 // of every feature, and in a regression of the target
	Unit    bool                  // rows are scaled to norm 1 after the ranges
}

// Features are the feature columns in their order, that of their names.
func (s Shape) Features() []string {
	names := slices.Sorted(maps.Keys(s.Ranges))
	return slices.DeleteFunc(names, func(name string) bool { return name == s.Target })
}

// Check refuses ranges that are none, and labels that are no two classes.
func (s Shape) Check() error {
	if len(s.Features()) == 0 {
		return fault.New("ranges: no feature has one", "give the lowest and the highest value of each feature")
	}
	if s.Task == Classification && len(s.Classes) != 2 {
		return fault.New(fmt.Sprintf("classes: %d are given", len(s.Classes)), "give the two labels, the positive one last")
	}
	_, _, err := s.columns()
	return err
}

// columns is how features, and in a regression the label, are scaled.
func (s Shape) columns() (features []Column, label *Column, err error) {
	if features, err = byRange(s.Features(), s.Ranges); err != nil || s.Task != Regression {
		return features, nil, err
	}
	labels, err := byRange([]string{s.Target}, s.Ranges)
	if err != nil {
		return nil, nil, err
	}
	return features, &labels[0], nil
}

// Empty is the federation of this shape in which no node holds any row: all
// that is known in public. The shape passes Check.
func (s Shape) Empty(nodes int) (*Federation, error) {
	columns, label, err := s.columns()
	if err != nil {
		return nil, err
	}
	d := len(columns)
	f := &Federation{
		Source: "csv", Target: s.Target, Task: s.Task, Classes: s.Classes, FeatureNames: s.Features(), Partition: "participants",
		Shards: &Shards{Features: d, Offsets: make([]int, nodes+1)}, Test: Block{Features: d},
		Columns: columns, Label: label, Unit: s.Unit, Bound: math.Sqrt(float64(d)),
	}
	if s.Unit {
		f.Bound = 1
	}
	return f, nil
}

// A Shard is one participant's rows, scaled: those it learns from, and those
// that it keeps to itself for testing.
type Shard struct {
	Train, Test Block
	Limited     []Limited // columns with values outside of their range
	Ignored     []string  // columns of the file that are neither feature nor target
}

// Limited counts the values of a column that were moved to the end of its
// range.
type Limited struct {
	Column string `json:"column"`
	Values int    `json:"values"`
}

// divide splits, counts what is out of range and scales.
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
	if s.Unit {
		UnitNorm(t.X, len(features))
	}
	var stream step.Stream
	train, kept, err := split(t, test, stream.At(seed, node, splitTurn, 0, step.Data))
	if err != nil {
		return err
	}
	shard.Train, shard.Test = gather(t, train), gather(t, kept)
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
