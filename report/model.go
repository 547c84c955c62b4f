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

// A Recipe holds everything besides the parameters that is needed to predict from a row of a file. The steps are: fill
// in missing values; turn each text column into one feature a category, 1 for the row's category and 0 otherwise; scale
// each feature by its column, in the order of Features; scale the row to norm RowNorm; apply the model.
//
// For logistic and ridge, the model is the sum of features times coefficients, plus the intercept. The sum is the
// margin of a classifier or a scaled label. A classifier predicts the last class if 1/(1+exp(-margin)) is at least
// Threshold.
//
// For multinomial and mlp the parameters are those of each layer in turn, with Hidden units in the hidden layers. The
// last layer has an output for each class, or one, the scaled label. A layer has a row of weights for each unit, then,
// with an intercept, a constant for each. tanh follows every layer but the last. The predicted class has the largest
// output, and probabilities are the softmax.
//
// For convnet the features are a picture of Shape, plane by plane and row by row, and the parameters are those of four
// layers. Two convolutions have Maps maps, Kernel by Kernel kernels and zero padding. Each is followed by relu and 2 by
// 2 max pooling. Then follow Hidden units with relu, and an output for each class. Each layer has a row of weights for
// every map or unit, then a constant for each.
type Recipe struct {
	Kind          string        `json:"kind"`
	Task          string        `json:"task"` // classification, regression or mean
	WithIntercept bool          `json:"with_intercept"`
	Hidden        []int         `json:"hidden,omitempty"`     // of a network, units of the hidden layers
	Activation    string        `json:"activation,omitempty"` // of hidden units: tanh, or relu in a convnet
	Maps          []int         `json:"maps,omitempty"`       // of a convnet's two convolutions
	Kernel        int           `json:"kernel,omitempty"`     // of a convnet, side of both kernels
	Shape         []int         `json:"shape,omitempty"`      // of a convnet's rows: planes, rows, columns
	Target        string        `json:"target"`
	Positive      string        `json:"positive"`      // with two classes, the meaning of the label +1; otherwise ""
	Classes       List[string]  `json:"classes"`       // of two the labels -1 and +1, of more 0, 1, ...; empty if labels are numbers
	Threshold     *float64      `json:"threshold"`     // with two classes; otherwise null
	Preprocessing List[string]  `json:"preprocessing"` // Columns and RowNorm in words
	Features      List[string]  `json:"features"`      // order of the parameters; an intercept follows them
	Columns       List[Scaling] `json:"columns"`       // of each feature; empty: none is scaled

	Categories   map[string][]string `json:"categories,omitempty"`    // of each text column; its features are called column=value
	Fill         map[string]string   `json:"fill,omitempty"`          // replacement of a missing value, by column
	Missing      string              `json:"missing"`                 // drop: rows with another missing value are left out; error: they are refused
	Table        *textfile.Notation  `json:"table,omitempty"`         // notation of the tables, and texts for missing values; omitted: the usual one
	ClassWeights map[string]float64  `json:"class_weights,omitempty"` // in the loss, by class; 1 if not named

	External *External `json:"external,omitempty"` // a model that another program computes

	Encoding *scatter.Encoding `json:"encoding,omitempty"` // encoding of the scaled columns before the row is scaled; omitted: none
	RowNorm  *float64          `json:"row_norm"`           // null: rows keep their norm, as they also do at 0
	Label    *Scaling          `json:"label"`              // of a regression; null: predictions are labels
}

// NewRecipe returns the recipe of a model of a kind for the data.
func NewRecipe(kind string, d *Data) Recipe {
	r := Recipe{Kind: kind, Target: d.Target, Positive: d.Positive, Classes: d.Classes, Preprocessing: d.Preprocessing, Missing: "error",
		Features: d.Features, Columns: d.Columns, RowNorm: d.RowNorm, Label: d.Label, Categories: d.Categories, Fill: d.Fill, Encoding: d.Encoding}
	if len(d.Classes) == 2 {
		half := 0.5
		r.Threshold = &half
	}
	return r
}

// Later reports whether a reader of ModelVersion would predict differently.
func (r *Recipe) Later() bool { return r.Encoding != nil || r.Table != nil && r.Table.Missing != nil }

// Format and versions of model.json. The version changes if an older reader would predict differently.
const (
	ModelFormat  = "hearsay model"
	ModelVersion = 1

	LaterVersion = 2 // for encoded rows, or for further texts for missing values
)

// A Claim is the promise under which a model was trained.
type Claim struct {
	Unit        string       `json:"unit"`             // unit in which neighbouring data sets differ
	Record      string       `json:"record,omitempty"` // a record in words; "": the unit is all data of a participant
	Accountant  string       `json:"accountant"`
	Status      Status       `json:"status"`
	Metric      string       `json:"metric"`           // metric of the next two, such as "epsilon at delta 1e-06"
	Epsilon     Number       `json:"epsilon"`          // worst ordered pair; null: no bound
	EpsilonMean Number       `json:"epsilon_mean"`     // over all ordered pairs
	Delta       float64      `json:"delta"`            // 0 for a Renyi metric
	Observer    string       `json:"observer"`         // observer towards whom these hold (privacy.Observer)
	Public      *Public      `json:"public,omitempty"` // loss to the public from the model alone; nil: the public sees nothing, or no accountant prices it separately
	Sigma       float64      `json:"sigma"`            // noise multiplier
	Simulated   bool         `json:"simulated"`        // noise came from a seed, and protects no one
	Assumptions List[string] `json:"assumptions"`
}

// Claimed returns the claim of a run's privacy.
func (p *Privacy) Claimed() Claim {
	return Claim{
		Unit: p.Unit, Record: p.OneRecord(), Accountant: p.Accountant, Status: p.Status, Metric: p.Metric, Epsilon: p.Max, EpsilonMean: p.Mean, Delta: p.Delta,
		Observer: p.Observer, Public: p.Public, Sigma: p.Sigma, Simulated: p.Simulated, Assumptions: p.Assumptions,
	}
}

// ModelFile is model.json, of a simulation and of a participant of a real run. It describes how to predict, and the
// claim under which the model was trained. A participant has one model, whose parameters stand beside the rest. A
// simulation has one model a trial.
type ModelFile struct {
	Format  string `json:"format"` // ModelFormat
	Version int    `json:"version"`
	Recipe
	Claim   Claim    `json:"claim"`
	Charged bool     `json:"charged"`               // whether the losses cover that everyone sees these parameters
	Notice  string   `json:"notice"`                // the same in words
	Home    *Home    `json:"home,omitempty"`        // for a model that a participant has fitted to its own rows
	Spec    string   `json:"spec"`                  // hash of the resolved spec
	Begins  []string `json:"begins_with,omitempty"` // hashes of the specs of the runs whose models it goes back to, latest first; empty: it began anew
	Hearsay string   `json:"hearsay"`               // version of the software
	Parameters
	Trials List[TrialModel] `json:"trials"`
}

// Home describes how a participant fitted a joint model to rows of its own. The objective is their mean loss plus
// Weight/2 times the squared distance from the joint model, or from 0.
type Home struct {
	Near   bool   `json:"near"`   // the penalty is the distance from the joint model
	Weight Number `json:"weight"` // null: the unchanged joint model
	Rows   int    `json:"rows"`
	Chosen string `json:"chosen"` // method of choice
}

// homeNotice is the notice of every model at home.
const homeNotice = "This model holds the rows that it was fitted to at home, without noise or any other protection: show it to nobody. What it predicts may tell of them, too. No stated privacy loss covers it."

// AtHome returns the file of a model that a participant fitted to its own rows. Its claim bounds nothing, because the
// joint model's claim does not cover it.
func (f *ModelFile) AtHome(how *Home, parameters []float64) *ModelFile {
	home := *f
	home.Home, home.Charged, home.Notice, home.Trials, home.Parameters = how, false, homeNotice, nil, f.Name(parameters)
	home.Claim = Claim{Unit: f.Claim.Unit, Record: f.Claim.Record, Accountant: "none", Status: Unclaimed, Metric: f.Claim.Metric, Delta: f.Claim.Delta, Epsilon: Number(math.Inf(1)), EpsilonMean: Number(math.Inf(1))}
	return &home
}

// Parameters holds the parameters of a model by name. A model that does not have one coefficient a feature has them in
// order instead.
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

// NewModelFile returns a model file without parameters. hash is the hash of the spec.
func NewModelFile(recipe Recipe, p *Privacy, hash, software string) *ModelFile {
	version := ModelVersion
	if recipe.Later() {
		version = LaterVersion
	}
	return &ModelFile{
		Format: ModelFormat, Version: version, Recipe: recipe, Claim: p.Claimed(), Charged: p.ModelCharged, Notice: modelNotice(p),
		Spec: hash, Begins: p.BeginsWith, Hearsay: software,
	}
}

// incomplete begins the notice of a model of a run that has not ended.
const incomplete = "INCOMPLETE: "

// Unfinished marks a model as that of a run that has not ended, after turn of turns. No loss covers that anyone but
// whose sees it.
func (f *ModelFile) Unfinished(turn, turns int64, whose string) {
	f.Charged = false
	f.Notice = fmt.Sprintf(incomplete+"this is the model after turn %d of %d, and the run has not ended. No loss counts that anybody but %s is shown it.", turn, turns, whose)
}

// Incomplete reports whether a model is of a run that had not ended.
func (f *ModelFile) Incomplete() bool { return strings.HasPrefix(f.Notice, incomplete) }

// newModelFile returns the model file of all trials.
func newModelFile(b *Bundle) (*ModelFile, error) {
	r := b.Result
	recipe := r.Recipe
	if len(recipe.Kind) == 0 {
		recipe = NewRecipe(r.Model, &r.Data)
	}
	hash := sha256.Sum256(b.ResolvedSpec)
	file := NewModelFile(recipe, &r.Privacy, "sha256:"+hex.EncodeToString(hash[:]), r.Versions["hearsay"])
	if file.Charged && len(r.Trials) > 1 {
		file.Notice += oneTrial
	}
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

// oneTrial stands in the notice of a file with several trials. Each has noise of its own and learns from the same data, so losses add up.
const oneTrial = " Losses are those of one trial: whoever sees the parameters of several learns more."

// layered reports whether the parameters belong to layers, instead of one to a feature.
func (r *Recipe) layered() bool {
	return slices.Contains([]string{"multinomial", "mlp", "convnet"}, r.Kind)
}

// Name names parameters by the features, if there is one a feature and at most one more.
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

// pairsFile is privacy.json: the selection of privacy.csv and the meaning of its columns.
type pairsFile struct {
	Nodes     int              `json:"nodes"`
	Metric    string           `json:"metric"`
	Pairs     int64            `json:"pairs"`     // ordered pairs of distinct nodes
	Examined  int64            `json:"examined"`  // pairs that the first column's accountant priced, of the examined ones
	Listed    int64            `json:"listed"`    // lines of privacy.csv
	Selection string           `json:"selection"` // which pairs are listed
	Rounding  string           `json:"rounding"`  // of the losses in the CSV files
	Columns   List[pairColumn] `json:"columns"`
	Names     List[string]     `json:"names"` // of the nodes, by number; empty: none
}

type pairColumn struct {
	Name       string      `json:"name"`
	Accountant string      `json:"accountant"`
	Status     Status      `json:"status"`
	Priced     int64       `json:"priced"`         // pairs, of the examined ones; other cells are empty
	Also       []alsoArray `json:"also,omitempty"` // arrays of privacy.npz in other metrics
	// Assumptions lists all assumptions of the column, including public ones.
	Assumptions List[string] `json:"assumptions"`
}

// An alsoArray names an array and its metric.
type alsoArray struct {
	Name string `json:"name"`
	Restated
}

// arraysOf returns the arrays of a column in other metrics.
func arraysOf(column string, l *Losses) (all []alsoArray) {
	for _, a := range l.Also {
		all = append(all, alsoArray{column + a.suffix(), a.Restated})
	}
	return all
}

// assumptionsOf returns the assumptions of an accountant of the result.
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
