package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/scatter"
	"github.com/hearsay-dp/hearsay/internal/textfile"
)

// A Recipe is all that it takes, besides the parameters, to predict from a row as
// it is in a file: fill in what is missing; make each text column one feature a
// category, 1 where it is that and else 0; scale each feature by its column, in the
// order of Features; scale the row to norm RowNorm; then apply the model.
//
// Of logistic and ridge that is to add up features times coefficients and the
// intercept: the margin of a classifier, which is of the last class where
// 1/(1+exp(-margin)) is at least Threshold, or a scaled label. Of multinomial and mlp
// the parameters are those of each layer in turn, Hidden units in the hidden ones and
// an output for each class (or one, the scaled label) in the last: a row of weights
// for each unit, then, with an intercept, a constant for each; tanh after all but the
// last. The class is that of the largest output, and the probabilities are the softmax.
//
// Of convnet features are a picture of Shape, plane by plane and row by row, and parameters those of four layers: two
// convolutions of Maps maps with Kernel by Kernel kernels, zeros around the picture, each followed by relu and by the
// largest of every two by two; Hidden units with relu; and an output for each class. Each has a row of weights for every map or
// unit, then a constant for each.
type Recipe struct {
	Kind          string        `json:"kind"`
	Task          string        `json:"task"` // classification, regression or mean
	WithIntercept bool          `json:"with_intercept"`
	Hidden        []int         `json:"hidden,omitempty"`     // of a network, units of the hidden layers
	Activation    string        `json:"activation,omitempty"` // of hidden units: tanh, or relu of a convnet
	Maps          []int         `json:"maps,omitempty"`       // of a convnet's two convolutions
	Kernel        int           `json:"kernel,omitempty"`     // of a convnet, side of both kernels
	Shape         []int         `json:"shape,omitempty"`      // of a convnet's rows: planes, rows, columns
	Target        string        `json:"target"`
	Positive      string        `json:"positive"`      // of two classes, what the label +1 means; else ""
	Classes       List[string]  `json:"classes"`       // of two the labels -1 and +1, of more 0, 1, ...; empty where labels are numbers
	Threshold     *float64      `json:"threshold"`     // of two classes; else null
	Preprocessing List[string]  `json:"preprocessing"` // in words, what Columns and RowNorm say
	Features      List[string]  `json:"features"`      // order of the parameters; an intercept follows them
	Columns       List[Scaling] `json:"columns"`       // of each feature; empty: none is scaled

	Categories   map[string][]string `json:"categories,omitempty"`    // of each text column: its features are called column=value
	Fill         map[string]string   `json:"fill,omitempty"`          // what stands for a missing value, by column
	Missing      string              `json:"missing"`                 // drop: rows with another missing value are left out; error: they are refused
	Table        *textfile.Notation  `json:"table,omitempty"`         // how tables were written, and what stood for no value; left out: as usual
	ClassWeights map[string]float64  `json:"class_weights,omitempty"` // of the loss, by class; 1 where none is named

	External *External `json:"external,omitempty"` // of a model that another program computes

	Encoding *scatter.Encoding `json:"encoding,omitempty"` // what the scaled columns become before the row is scaled; left out: they stay
	RowNorm  *float64          `json:"row_norm"`           // null: rows keep their norm, which they do also at 0
	Label    *Scaling          `json:"label"`              // of a regression; null: predictions are labels as they are
}

// NewRecipe takes what the data say of a model of a kind.
func NewRecipe(kind string, d *Data) Recipe {
	r := Recipe{Kind: kind, Target: d.Target, Positive: d.Positive, Classes: d.Classes, Preprocessing: d.Preprocessing, Missing: "error",
		Features: d.Features, Columns: d.Columns, RowNorm: d.RowNorm, Label: d.Label, Categories: d.Categories, Fill: d.Fill, Encoding: d.Encoding}
	if len(d.Classes) == 2 {
		half := 0.5
		r.Threshold = &half
	}
	return r
}

// Later reports whether a reader of ModelVersion would predict something else.
func (r *Recipe) Later() bool { return r.Encoding != nil || r.Table != nil && r.Table.Missing != nil }

// What model.json says it is. Versions change when an older reader would predict
// something else.
const (
	ModelFormat  = "hearsay model"
	ModelVersion = 1

	LaterVersion = 2 // of a model whose rows are encoded, or that knows more texts for no value
)

// A Claim is the promise under which a model was trained.
type Claim struct {
	Unit        string       `json:"unit"`             // whose data neighbouring data sets differ in
	Record      string       `json:"record,omitempty"` // what a record is, in words; "": the unit is all data of a participant
	Accountant  string       `json:"accountant"`
	Status      Status       `json:"status"`
	Metric      string       `json:"metric"`           // what the next two are, such as "epsilon at delta 1e-06"
	Epsilon     Number       `json:"epsilon"`          // worst ordered pair; null: no bound
	EpsilonMean Number       `json:"epsilon_mean"`     // over all ordered pairs
	Delta       float64      `json:"delta"`            // 0 for a Renyi metric
	Observer    string       `json:"observer"`         // who those hold towards (privacy.Observer)
	Public      *Public      `json:"public,omitempty"` // what the public learns from the model alone; nil: nothing is shown to it, or no accountant prices it apart
	Sigma       float64      `json:"sigma"`            // noise multiplier
	Simulated   bool         `json:"simulated"`        // noise came from a seed: nobody is protected by it
	Assumptions List[string] `json:"assumptions"`
}

// Claimed is what the privacy of a run claims.
func (p *Privacy) Claimed() Claim {
	return Claim{
		Unit: p.Unit, Record: p.OneRecord(), Accountant: p.Accountant, Status: p.Status, Metric: p.Metric, Epsilon: p.Max, EpsilonMean: p.Mean, Delta: p.Delta,
		Observer: p.Observer, Public: p.Public, Sigma: p.Sigma, Simulated: p.Simulated, Assumptions: p.Assumptions,
	}
}

// ModelFile is model.json, of a simulation and of a participant of a real run: how to
// predict, and under which claim the model was trained. A participant has one model,
// whose parameters stand beside the rest; a simulation one a trial.
type ModelFile struct {
	Format  string `json:"format"` // ModelFormat
	Version int    `json:"version"`
	Recipe
	Claim   Claim  `json:"claim"`
	Charged bool   `json:"charged"`        // whether the losses cover that everybody sees these parameters
	Notice  string `json:"notice"`         // the same in words
	Home    *Home  `json:"home,omitempty"` // of a model that a participant has fitted to its own rows
	Spec    string `json:"spec"`           // hash of the resolved spec
	Hearsay string `json:"hearsay"`        // version of the software
	Parameters
	Trials List[TrialModel] `json:"trials"`
}

// Home is how one participant fitted a joint model to rows of its own: to their mean loss plus Weight/2 times the squared distance
// from the joint model, or from 0.
type Home struct {
	Near   bool   `json:"near"`   // the penalty draws to the joint model
	Weight Number `json:"weight"` // null: the joint model as it is
	Rows   int    `json:"rows"`
	Chosen string `json:"chosen"` // how
}

// homeNotice is that of every model at home.
const homeNotice = "This model holds the rows that it was fitted to at home, without noise or any other protection: show it to nobody. What it predicts may tell of them, too. No stated privacy loss covers it."

// AtHome is the file of a model that a participant fitted to its own rows. Its claim bounds nothing: that of the joint model is not
// about it.
func (f *ModelFile) AtHome(how *Home, parameters []float64) *ModelFile {
	home := *f
	home.Home, home.Charged, home.Notice, home.Trials, home.Parameters = how, false, homeNotice, nil, f.Name(parameters)
	home.Claim = Claim{Unit: f.Claim.Unit, Record: f.Claim.Record, Accountant: "none", Status: Unclaimed, Metric: f.Claim.Metric, Delta: f.Claim.Delta, Epsilon: Number(math.Inf(1)), EpsilonMean: Number(math.Inf(1))}
	return &home
}

// Parameters of a model by name. A model with another shape than one coefficient a
// feature has them in order instead.
type Parameters struct {
	Coefficients map[string]Number `json:"coefficients,omitempty"`
	Intercept    *Number           `json:"intercept,omitempty"`
	Values       Vector            `json:"parameters,omitempty"`
}

// A TrialModel is the model of one trial.
type TrialModel struct {
	Seed uint64 `json:"seed,string"`
	Parameters
}

// NewModelFile is a model file without parameters. hash is that of the spec.
func NewModelFile(recipe Recipe, p *Privacy, hash, software string) *ModelFile {
	version := ModelVersion
	if recipe.Later() {
		version = LaterVersion
	}
	return &ModelFile{
		Format: ModelFormat, Version: version, Recipe: recipe, Claim: p.Claimed(), Charged: p.ModelCharged, Notice: modelNotice(p),
		Spec: hash, Hearsay: software,
	}
}

// incomplete begins the notice of a model of a run that has not ended.
const incomplete = "INCOMPLETE: "

// Unfinished marks a model of a run that has not ended: it is the model after turn of turns, and no loss counts that anybody else is shown it.
func (f *ModelFile) Unfinished(turn, turns int64, whose string) {
	f.Charged = false
	f.Notice = fmt.Sprintf(incomplete+"this is the model after turn %d of %d, and the run has not ended. No loss counts that anybody but %s is shown it.", turn, turns, whose)
}

// Incomplete reports whether a model is of a run that had not ended.
func (f *ModelFile) Incomplete() bool { return strings.HasPrefix(f.Notice, incomplete) }

// newModelFile has the models of all trials.
func newModelFile(b *Bundle) (*ModelFile, error) {
	r := b.Result
	recipe := r.Recipe
	if len(recipe.Kind) == 0 {
		recipe = NewRecipe(r.Model, &r.Data)
	}
	hash := sha256.Sum256(b.ResolvedSpec)
	file := NewModelFile(recipe, &r.Privacy, "sha256:"+hex.EncodeToString(hash[:]), r.Versions["hearsay"])
	seen := map[string]bool{}
	for _, name := range r.Data.Features {
		if seen[name] {
			return nil, fault.New(fmt.Sprintf("two features are called %q", name), "give each column of the data its own name")
		}
		seen[name] = true
	}
	for i, t := range r.Trials {
		if len(t.Model) != len(r.Trials[0].Model) {
			return nil, fault.New(fmt.Sprintf("trial %d has %d parameters, trial 0 has %d", i, len(t.Model), len(r.Trials[0].Model)),
				"compare trials of one model only")
		}
		file.Trials = append(file.Trials, TrialModel{Seed: t.Seed, Parameters: recipe.Name(t.Model)})
	}
	return file, nil
}

// layered reports whether the parameters are those of layers, not one a feature.
func (r *Recipe) layered() bool {
	return slices.Contains([]string{"multinomial", "mlp", "convnet"}, r.Kind)
}

// Name gives parameters the names of the features, where there is one a feature and
// at most one more.
func (r *Recipe) Name(parameters []float64) Parameters {
	d := len(r.Features)
	if r.layered() || r.Encoding != nil || len(parameters) != d && len(parameters) != d+1 {
		return Parameters{Values: parameters}
	}
	p := Parameters{Coefficients: make(map[string]Number, d)}
	for i, name := range r.Features {
		p.Coefficients[name] = Number(parameters[i])
	}
	if len(parameters) > d {
		intercept := Number(parameters[d])
		p.Intercept = &intercept
	}
	return p
}

// pairsFile is privacy.json: what privacy.csv lists and what its columns mean.
type pairsFile struct {
	Nodes     int              `json:"nodes"`
	Metric    string           `json:"metric"`
	Pairs     int64            `json:"pairs"`     // ordered pairs of distinct nodes
	Examined  int64            `json:"examined"`  // pairs that the first column's accountant priced, of those that were looked at
	Listed    int64            `json:"listed"`    // lines of privacy.csv
	Selection string           `json:"selection"` // which pairs are listed
	Rounding  string           `json:"rounding"`  // how the losses in the CSV files are
	Columns   List[pairColumn] `json:"columns"`
	Names     List[string]     `json:"names"` // of the nodes, by number; empty: they have none
}

type pairColumn struct {
	Name       string      `json:"name"`
	Accountant string      `json:"accountant"`
	Status     Status      `json:"status"`
	Priced     int64       `json:"priced"`         // pairs, of those that were looked at; the cells of others are empty
	Also       []alsoArray `json:"also,omitempty"` // arrays of privacy.npz in other metrics
	// Assumptions are all that the column takes for granted, what is public among them.
	Assumptions List[string] `json:"assumptions"`
}

// An alsoArray names an array and its metric.
type alsoArray struct {
	Name string `json:"name"`
	Restated
}

// arraysOf are those of a column in other metrics.
func arraysOf(column string, l *Losses) (all []alsoArray) {
	for _, a := range l.Also {
		all = append(all, alsoArray{column + a.suffix(), a.Restated})
	}
	return all
}

// assumptionsOf are those of an accountant of the result.
func (p *Privacy) assumptionsOf(accountant string) []string {
	for _, a := range append([]Accounted{p.Accounted}, p.Others...) {
		if a.Accountant == accountant {
			return a.Assumptions
		}
	}
	return nil
}

func newPairsFile(r *Result, s *survey) *pairsFile {
	n := int64(s.n)
	file := &pairsFile{Nodes: s.n, Names: s.names, Metric: r.Privacy.Metric, Pairs: n * (n - 1),
		Examined: s.priced(0), Listed: int64(len(s.seen)) * max(0, n-1), Selection: "all ordered pairs",
		Rounding: fmt.Sprintf("losses in CSV files have %d significant digits, rounded up; audit columns rounded down; privacy.npz, written up to 4096 nodes, has all", lossDigits)}
	if s.list != nil {
		file.Listed = int64(s.list.Len())
		file.Selection = fmt.Sprintf("the worst %d of the pairs looked at, by the first column", s.list.Len())
	}
	for k, name := range columns(s.losses) {
		file.Columns = append(file.Columns, pairColumn{name, s.losses[k].Accountant, s.losses[k].Status, s.priced(k), arraysOf(name, s.losses[k]), r.Privacy.assumptionsOf(s.losses[k].Accountant)})
	}
	return file
}
