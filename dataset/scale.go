package dataset

import (
	"fmt"

	"gonum.org/v1/gonum/floats"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sparse"

	"github.com/hearsay-dp/hearsay/fault"
)

// A Column says how one column was scaled: v becomes (v - Shift) x Factor,
// then is limited to [-Limit, Limit].
type Column struct {
	Name                 string
	Shift, Factor, Limit float64
}

// Apply scales one value.
func (c Column) Apply(v float64) float64 {
	return max(-c.Limit, min(c.Limit, (v-c.Shift)*c.Factor))
}

// identity leaves a column as it is.
func identity(name string) Column { return Column{Name: name, Factor: 1, Limit: math.Inf(1)} }

// standardise fits columns to mean 0 and population variance 1 over the rows
// of x, row-major. A constant column becomes 0. A column whose squares overflow is
// an error.
func standardise(names []string, x []float64) ([]Column, error) {
	d := len(names)
	n := float64(len(x) / d)
	mean, variance := make([]float64, d), make([]float64, d)
	for i := 0; i < len(x); i += d {
		floats.Add(mean, x[i:i+d])
	}
	sparse.Scale(mean, 1/n)
	for i := 0; i < len(x); i += d {
		for j, v := range x[i : i+d] {
			variance[j] += float64((v - mean[j]) * (v - mean[j]))
		}
	}
	columns := make([]Column, d)
	for j, name := range names {
		columns[j] = identity(name)
		columns[j].Shift, columns[j].Factor = mean[j], 0
		std := math.Sqrt(variance[j] / n)
		if math.IsNaN(std) || math.IsInf(std, 0) {
			return nil, fault.New(fmt.Sprintf("column %q has values too large to standardise", name), "correct them, or scale by public ranges")
		}
		if std > 1e-12*math.Abs(mean[j]) {
			columns[j].Factor = 1 / std
		}
	}
	return columns, nil
}

// byRange maps each column's public range to [-1, 1]; values outside are
// limited to it.
func byRange(names []string, ranges map[string][2]float64) ([]Column, error) {
	columns := make([]Column, len(names))
	for j, name := range names {
		r, ok := ranges[name]
		if !ok {
			return nil, fault.New(fmt.Sprintf("column %q has no public range", name),
				"give the lowest and highest value of every column under ranges:, or use scale: none")
		}
		lo, hi := r[0], r[1]
		if !(lo < hi) || math.IsInf(hi-lo, 0) {
			return nil, fault.New(fmt.Sprintf("the range [%v, %v] of column %q is empty or infinite", lo, hi, name), "give the lowest value first, then the highest")
		}
		columns[j] = Column{Name: name, Shift: float64(lo/2) + float64(hi/2), Factor: 2 / (hi - lo), Limit: 1}
	}
	return columns, nil
}

// apply scales the rows of x in place.
func apply(columns []Column, x []float64) {
	for i := 0; i < len(x); i += len(columns) {
		row := x[i : i+len(columns)]
		for j, c := range columns {
			row[j] = c.Apply(row[j])
		}
	}
}

// UnitNorm scales every row of x, of d features each, to L2 norm 1 in place.
// Rows of zeros stay. The norm of a row is then at most 1, never a rounding
// error above, because the scale is reduced by more than rounding can add.
func UnitNorm(x []float64, d int) {
	shrink := 1 - float64(4*float64(d+8)*0x1p-53)
	for i := 0; i < len(x); i += d {
		row := x[i : i+d]
		if norm := sparse.Norm(row); norm > 0 {
			for j := range row {
				row[j] = row[j] / norm * shrink
			}
		}
	}
}

// scale fits o's scaling on the rows that nodes hold, applies it to them and
// to the test rows, and sets the bound on their norm that it proves.
func (f *Federation) scale(o Options) error {
	if err := f.scaleColumns(o); err != nil {
		return err
	}
	f.Bound = math.Inf(1)
	if o.Scale == "ranges" {
		f.Bound = math.Sqrt(float64(f.Shards.Features))
	}
	if err := f.encode(o); err != nil {
		return err
	}
	if o.Normalise == "unit" {
		UnitNorm(f.Shards.X, f.Shards.Features)
		UnitNorm(f.Test.X, f.Test.Features)
		f.Unit, f.Bound = true, 1
	}
	return nil
}

// encode replaces rows by their encoding.
func (f *Federation) encode(o Options) error {
	if o.Encoding == nil {
		return nil
	}
	f.Encoding = o.Encoding(f.Shards.Features)
	chain, err := f.Encoding.Chain(f.Shards.Features)
	if err != nil || chain == nil {
		return err
	}
	if err := checkCells(f.Source, len(f.Shards.Y)+len(f.Test.Y), chain.Size()); err != nil {
		return err
	}
	encoded := encodeParts(f.Encoding, chain, f.Shards.Features, o.Kept, f.Shards.X, f.Test.X)
	f.Shards.X, f.Shards.Features = encoded[0], chain.Size()
	f.Test.X, f.Test.Features = encoded[1], chain.Size()
	f.Bound = chain.Bound(f.Bound)
	return nil
}

// scaleColumns scales features and, in a regression, labels.
func (f *Federation) scaleColumns(o Options) error {
	if o.Scale == "none" {
		return nil
	}
	features, err := fit(o, f.FeatureNames, f.Shards.X)
	if err != nil {
		return err
	}
	f.Columns = features
	apply(f.Columns, f.Shards.X)
	apply(f.Columns, f.Test.X)
	if o.Scale == "standardise" {
		f.noteStatistics()
	}
	if f.Task != Regression {
		return nil
	}
	label, err := fit(o, []string{f.Target}, f.Shards.Y)
	if err != nil {
		return err
	}
	f.Label = &label[0]
	apply(label, f.Shards.Y)
	apply(label, f.Test.Y)
	return nil
}

// fit decides how columns are scaled.
func fit(o Options, names []string, x []float64) ([]Column, error) {
	if o.Scale == "ranges" {
		return byRange(names, rangesWith(o.Ranges, o.Categories))
	}
	return standardise(names, x)
}

// noteStatistics adds the notes that standardising is not private.
func (f *Federation) noteStatistics() {
	of := "the features"
	if f.Task == Regression {
		of += " and of the label"
	}
	f.Grounds = append([]string{fmt.Sprintf("%s: means and deviations of %s were fitted on all participants' rows (scale: standardise), a release that is not charged", preprocessing, of)},
		f.Grounds...)
	f.Notes = append(f.Notes, "Features are standardised by their mean and standard deviation over all nodes' rows. These statistics are themselves a release that no accountant here counts; scale by public ranges to avoid it.")
	for _, c := range f.Columns {
		if c.Factor == 0 {
			f.Notes = append(f.Notes, fmt.Sprintf("Column %s is constant over the training rows and became 0.", c.Name))
		}
	}
}

// average returns the mean of v.
func average(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}
