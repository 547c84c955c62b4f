package dataset

import (
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/scatter"
	"github.com/hearsay-dp/hearsay/step"
)

// A Federation is data ready for an algorithm: the rows of each node and the
// rows that no node holds. It is read-only once made and safe for concurrent use.
type Federation struct {
	Source, Target string
	Partition      string
	Task           Task
	Classes        []string // meaning of the labels, nil unless Classification
	FeatureNames   []string // columns of a row before it is encoded

	Shards     *Shards
	Holders    []string // names of the nodes, nil unless the partition has them
	Test       Block
	TestGroups []int32 // natural group of each test row, nil if the source has none
	TestOwners []int32 // the node that holds the other rows of a test row's natural group, -1: none or several; nil: no such node
	Unused     int     // training rows that no node holds
	SetAside   int     // test rows that nobody sees, where rows kept from the training part take their place

	Columns  []Column          // how features were scaled; nil: not at all
	Label    *Column           // how labels were scaled; nil: not at all
	Encoding *scatter.Encoding // how rows were then encoded; nil: not at all
	Unit     bool              // rows were then scaled to norm 1

	Categories map[string][]string // public values of text columns, which became a feature each
	Fill       map[string]string   // public values that stand for missing ones, by column

	Bound float64 // proven bound on the L2 norm of a feature row; +Inf if none

	Truth []float64 // coefficients behind a synthetic source, nil otherwise
	Notes []string  // facts that a reader of results must know

	// Grounds lists every quantity that was computed or read off from rows of all nodes before any node learns, one sentence each.
	// A stated privacy loss takes all of these as public. Code of this package that looks at rows of several nodes must add one.
	Grounds []string
	LeftOut bool // rows with gaps were left out
}

// preprocessing begins the grounds that say that features and labels themselves follow from all rows.
const preprocessing = "preprocessing is public"

// Build makes the federation of any source: it reads and federates a file,
// or generates. To make several of one file, Load once and Federate each.
func Build(o Options, seed uint64) (*Federation, error) {
	if Synthetic(o.Source) {
		return Generate(o, seed)
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	t, err := Load(o)
	if err != nil {
		return nil, err
	}
	return Federate(t, o, seed)
}

// Federate splits t, spreads the training rows over o.Nodes nodes and scales
// both parts. It leaves t as it is.
func Federate(t *Table, o Options, seed uint64) (*Federation, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	var stream step.Stream
	roll := t.roll(o.Persons.Rows)
	train, test, err := split(t, o.Test, t.strataOf(roll.heads, o), stream.At(seed, everyone, splitTurn, 0, step.Data))
	if err != nil {
		return nil, err
	}
	aside := 0
	if o.Validate > 0 {
		aside = len(roll.all(test))
		train, test, err = keep(o.Validate, t.strataOf(train, o), stream.At(seed, everyone, validationTurn, 0, step.Data))
		if err != nil {
			return nil, err
		}
	}
	grounds := slices.Clone(t.Grounds)
	if t.Task == Classification && o.Split != "index" && o.Test > 0 {
		grounds = append(grounds, "the split is public: rows are kept for testing by class, so that one label moves others between the parts")
	}
	if o.Partition != "uniform" {
		grounds = append(grounds, fmt.Sprintf("who holds which rows is public: partition %s looks at them", o.Partition))
	}
	owned, err := partition(t, train, o, stream.At(seed, everyone, partitionTurn, 0, step.Data))
	if err != nil {
		return nil, err
	}
	if kind, name := partitionKind(o.Partition); kind == "column" {
		t = t.without(name)
	}
	f := &Federation{
		Source: t.Source, Target: t.Target, Task: t.Task, Classes: t.Classes, FeatureNames: t.Features, Categories: o.Categories, Fill: o.Fill,
		Partition: o.Partition,
		Unused:    len(roll.all(train)) - len(roll.all(owned.order)), SetAside: aside,
		Notes:   append(append([]string(nil), t.Notes...), owned.notes...),
		Grounds: grounds, LeftOut: o.Missing == "drop" || t.Source == "heart",
	}
	if aside > 0 {
		f.Notes = append(f.Notes, fmt.Sprintf("Scores are of %d rows that are kept from the training part (data.validation): choose settings by them, and leave validation out of the last run. %d test rows are set aside.", len(roll.all(test)), aside))
	}
	if t.Persons != nil {
		f.Notes = append(f.Notes, roll.notes(t, owned, o.Persons)...)
		owned, test = roll.spread(owned, seed), roll.all(test)
	}
	f.Holders = owned.names
	held := gather(t, owned.order)
	f.Shards = &Shards{Features: held.Features, X: held.X, Y: held.Y, Offsets: owned.offsets}
	f.Test = gather(t, test)
	if t.Groups != nil {
		f.TestGroups = make([]int32, len(test))
		for k, i := range test {
			f.TestGroups[k] = t.Groups[i]
		}
	}
	f.TestOwners = t.owners(owned, test)
	return f, f.scale(o)
}

// strataOf returns the strata whose shares a split of some rows keeps.
func (t *Table) strataOf(rows []int32, o Options) [][]int32 {
	if o.Split == "index" {
		return t.places(rows, o.Partition)
	}
	return t.strata(rows)
}

// without returns t without a feature that says where a row lives, because such a feature is not
// learnt from. It returns t itself if t has no such feature, or no other.
func (t *Table) without(feature string) *Table {
	j := t.column(feature)
	if j < 0 || len(t.Features) == 1 {
		return t
	}
	rest := *t
	rest.Features = slices.Delete(slices.Clone(t.Features), j, j+1)
	rest.X = make([]float64, 0, t.Rows()*len(rest.Features))
	for i := range t.Rows() {
		row := t.Row(i)
		rest.X = append(append(rest.X, row[:j]...), row[j+1:]...)
	}
	return &rest
}

// gather copies rows of t.
func gather(t *Table, rows []int32) Block {
	d := len(t.Features)
	b := Block{Features: d, X: make([]float64, 0, len(rows)*d), Y: make([]float64, 0, len(rows))}
	for _, i := range rows {
		b.X = append(b.X, t.Row(int(i))...)
		b.Y = append(b.Y, t.Y[i])
	}
	return b
}
