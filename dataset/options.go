package dataset

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/scatter"
	"github.com/hearsay-dp/hearsay/internal/textfile"
)

// OwnTest as Options.Test uses the test part that comes with the source.
const OwnTest = -1

// Options says where data comes from and how it is spread over the nodes.
// Start from Defaults.
type Options struct {
	Source string   // see Sources
	Path   string   // file or folder; synthetic sources have none
	Target string   // the label, a column of the source; "" where there is no choice
	Task   Task     // Classification or Regression
	Drop   []string // columns left out, before rows with missing values are

	Classes    []string            // csv: all labels, of two the positive one last; nil: those that occur, in order
	Missing    string              // csv: "drop" leaves out rows without a value, "error" or "" refuses them
	Categories map[string][]string // csv: the public values of text columns; heart: of columns of numbers
	Fill       map[string]string   // csv: public values that stand for missing ones, by column

	Notation textfile.Notation // csv: how the file is written
	Persons  Persons           // csv: whose rows they are
	Flags    bool              // csv: hints name flags of hearsay data info, not keys of a spec

	Threshold *float64 // houses: the public value that labels are compared with; nil: their mean over all rows

	Split     string                              // "index": which rows are kept for testing follows from their place alone; "class" or "": as many of each class
	Test      float64                             // fraction of rows kept for testing, in [0, 1), or OwnTest
	Validate  float64                             // share of the training rows that take the place of test rows, which nobody then sees; 0: test rows stay
	Scale     string                              // "standardise", "ranges" or "none"
	Ranges    map[string][2]float64               // public lowest and highest value of each feature, for "ranges"
	Normalise string                              // "unit" (every row to norm 1) or "none"
	Encoding  func(columns int) *scatter.Encoding // of rows of columns numbers, after scaling; nil, or returning nil: rows stay as they are
	Kept      Keeper                              // of encoded rows; nil: they are encoded anew
	Partition string                              // "uniform", "position[:FEATURE]", "column:NAME" or "dirichlet:CONCENTRATION"
	Nodes     int                                 // how many shards
	Names     []string                            // names of the nodes, for "column:NAME"; nil: groups are placed in their order
	Rows      int                                 // rows per node; 0: as many as there are (synthetic sources need a number)

	// External sources only: rows that another program holds.
	TrainRows, TestRows int

	// Synthetic sources only; Features also fixes the dimension of libsvm.
	Features int     // dimension of a row
	Support  int     // non-zero coefficients of sparse-regression
	Centre   float64 // every coordinate of the mean vector of two-gaussians and mean
	Variance float64 // of a coordinate; for sparse-regression, of the noise on the label
}

// Sources lists the names Options.Source may have.
func Sources() []string {
	return []string{"houses", "adult", "mnist", "cifar10", "heart", "csv", "libsvm", "two-gaussians", "sparse-regression", "mean", External}
}

// Synthetic reports whether a source is generated, not read.
func Synthetic(source string) bool {
	return source == "two-gaussians" || source == "sparse-regression" || source == "mean"
}

// Defaults returns the usual options of a source: those of the papers where
// they state them. Path, Nodes and, for a CSV file, Target are left to the caller.
func Defaults(source string) (Options, error) {
	o := Options{Source: source, Task: Classification, Test: 0.2,
		Scale: "none", Normalise: "none", Partition: "uniform"}
	switch source {
	case "houses":
		o.Target, o.Scale, o.Normalise = "longitude", "standardise", "unit"
	case "adult":
		o.Normalise, o.Test, o.Target = "unit", OwnTest, "income"
	case "mnist":
		o.Normalise, o.Test, o.Target = "unit", OwnTest, "digit"
	case "cifar10":
		o.Target = "object"
	case "heart":
		o.Scale, o.Normalise, o.Partition, o.Target = "standardise", "unit", "column:hospital", "num"
		o.Drop = []string{"slope", "ca", "thal"}
	case "csv", "libsvm":
		o.Scale, o.Normalise = "standardise", "unit"
	case External:
		o.Task = Mean
	case "two-gaussians":
		o.Rows, o.Features, o.Centre, o.Variance = 1, 8, 1, 1
	case "sparse-regression":
		o.Task, o.Rows, o.Features, o.Support, o.Variance = Regression, 1, 64, 8, 0.01
	case "mean":
		o.Task, o.Rows, o.Features, o.Centre, o.Variance, o.Test = Mean, 1, 8, 0, 1, 0
	default:
		return Options{}, unknown("source", source, Sources())
	}
	return o, nil
}

// check reports options that no data could satisfy.
func (o *Options) check() error {
	if o.Test != OwnTest && !(o.Test >= 0 && o.Test < 1) {
		return fault.New(fmt.Sprintf("the test fraction %v is not in [0, 1)", o.Test), "give the part of the rows kept for testing, such as 0.2")
	}
	if !(o.Validate >= 0 && o.Validate < 1) || o.Validate > 0 && (Synthetic(o.Source) || o.Source == External) {
		return fault.New(fmt.Sprintf("data.validation: %v of source %s", o.Validate, o.Source), "give the part of the training rows that is kept for choosing settings, such as 0.1, of a source that is read")
	}
	if o.Nodes < 1 {
		return fault.New(fmt.Sprintf("cannot spread data over %d nodes", o.Nodes), "give a number of nodes of at least 1")
	}
	if o.Rows < 0 {
		return fault.New(fmt.Sprintf("cannot give %d rows to a node", o.Rows), "give a number of rows of at least 1, or 0 for as many as there are")
	}
	if err := oneOf("scale", o.Scale, "standardise", "ranges", "none"); err != nil {
		return err
	}
	if o.Split != "" {
		if err := oneOf("split", o.Split, "class", "index"); err != nil {
			return err
		}
	}
	if o.Missing != "" {
		if err := oneOf("missing", o.Missing, "drop", "error"); err != nil {
			return err
		}
	}
	if o.Source != "csv" && (o.Missing != "" || o.Fill != nil || o.Classes != nil || (o.Categories != nil && o.Source != "heart")) {
		return fault.New(o.Source+": takes no missing, no fill and no categories", "leave them out; they are for source: csv, and categories for heart too")
	}
	if o.Source != "csv" && o.Persons.Column != "" {
		return fault.New(o.Source+": takes no person", "leave it out; it is for source: csv")
	}
	if err := o.Persons.Check(); err != nil {
		return err
	}
	if o.Source != "csv" && !o.Notation.IsZero() {
		return fault.New(o.Source+": takes no separator, decimal, encoding or missing_values", "leave them out; they are for source: csv")
	}
	if o.Encoding != nil && o.Encoding(1) != nil && (Synthetic(o.Source) || o.Source == External) {
		return fault.New(fmt.Sprintf("data.features: rows of source %s are not read, so no steps follow", o.Source), "give steps with source: mnist, cifar10, csv or another that is read")
	}
	return oneOf("normalise", o.Normalise, "unit", "none")
}

// checkSource reports wishes that a source to be read cannot fulfil.
func (o *Options) checkSource() error {
	usual, err := Defaults(o.Source)
	if err != nil {
		return err
	}
	if o.Source == External {
		return o.checkExternal()
	}
	if Synthetic(o.Source) {
		return fault.New(o.Source+" is generated, not read", "its shape is set by nodes, rows and features")
	}
	if o.Target != usual.Target && (o.Source == "adult" || o.Source == "heart" || o.Source == "libsvm" || o.Source == "cifar10") {
		return fault.New(fmt.Sprintf("%s has no target %q", o.Source, o.Target), "leave the target out: this source has one label only")
	}
	if o.Task != Classification && (o.Task != Regression || o.Source == "adult" || o.Source == "heart" || o.Source == "mnist" || o.Source == "cifar10") {
		return fault.New(fmt.Sprintf("%s cannot be read for the task %q", o.Source, o.Task), "use classification; csv, libsvm and houses can also be a regression")
	}
	if len(o.Drop) > 0 && (o.Source == "adult" || o.Source == "mnist" || o.Source == "cifar10" || o.Source == "libsvm") {
		return fault.New(o.Source+": columns cannot be dropped", "only houses, heart and csv have columns to drop by name")
	}
	return nil
}

// checkSynthetic reports a shape that cannot be generated.
func (o *Options) checkSynthetic() error {
	switch {
	case o.Rows < 1:
		return fault.New(fmt.Sprintf("%s: %d rows per node", o.Source, o.Rows), "give at least 1 row per node")
	case o.Features < 1:
		return fault.New(fmt.Sprintf("%s: %d features", o.Source, o.Features), "give at least 1 feature")
	case !(o.Variance >= 0) || math.IsInf(o.Variance, 0):
		return fault.New(fmt.Sprintf("%s: variance %v", o.Source, o.Variance), "give a finite variance of at least 0")
	case math.IsNaN(o.Centre) || math.IsInf(o.Centre, 0):
		return fault.New(fmt.Sprintf("%s: centre %v", o.Source, o.Centre), "give a finite centre")
	case o.Source == "sparse-regression" && (o.Support < 0 || o.Support > o.Features):
		return fault.New(fmt.Sprintf("%s: support %d of %d features", o.Source, o.Support, o.Features), "give a support between 0 and the number of features")
	case o.Test == OwnTest:
		return fault.New(o.Source+" has no test part of its own", "give the fraction of rows kept for testing, such as test: 0.2")
	case o.Partition != "uniform":
		return fault.New(fmt.Sprintf("%s cannot be partitioned by %q", o.Source, o.Partition),
			"every node draws its own rows from the same distribution: use partition: uniform")
	}
	if o.Nodes > maxCells/o.Rows {
		return checkCells(o.Source, maxCells, o.Features+1)
	}
	return checkCells(o.Source, o.Nodes*o.Rows, o.Features)
}

// maxCells bounds the numbers of one slab: 4 GiB.
const maxCells = 1 << 29

// checkCells refuses a slab that no machine Hearsay is meant for can hold.
func checkCells(name string, rows, features int) error {
	return checkCellsUpTo(maxCells, name, rows, features)
}

// checkCellsUpTo checks the size of a table as checkCells does, with a lower limit.
func checkCellsUpTo(most int, name string, rows, features int) error {
	if rows < 0 || rows > most/max(features, 1) {
		return fault.New(fmt.Sprintf("%s: %d rows x %d features are too many to hold in memory", name, rows, features), "use fewer rows or fewer features")
	}
	return nil
}

// partitionKind splits "dirichlet:0.3" into its kind and argument.
func partitionKind(s string) (kind, arg string) {
	kind, arg, _ = strings.Cut(s, ":")
	return kind, arg
}

// concentration reads the argument of a Dirichlet partition.
func concentration(arg string) (float64, error) {
	a, err := strconv.ParseFloat(arg, 64)
	if err != nil || !(a > 0) || math.IsInf(a, 0) {
		return 0, fault.New(fmt.Sprintf("partition dirichlet:%s: the concentration is not a positive number", arg),
			"small values such as dirichlet:0.1 give nodes nearly one class each, large ones nearly equal mixtures")
	}
	return a, nil
}

// oneOf reports a value that is not among the allowed ones.
func oneOf(what, value string, allowed ...string) error {
	for _, a := range allowed {
		if a == value {
			return nil
		}
	}
	return unknown(what, value, allowed)
}

// unknown returns the error for an unknown name.
func unknown(what, value string, allowed []string) error {
	return fault.New(fmt.Sprintf("unknown %s %q", what, value), "use one of "+strings.Join(allowed, ", "))
}
