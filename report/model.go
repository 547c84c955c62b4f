package report

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
)

// A Recipe is all that it takes, besides the parameters, to predict from a row as
// it is in a file: fill in what is missing; make each text column one feature a
// category, 1 where it is that and else 0; scale each feature by its column, in the order of Features;
// scale the row to norm RowNorm; add up features times coefficients and the
// intercept. That is the margin of a classifier, which is of the last class where
// 1/(1+exp(-margin)) is at least Threshold, or a scaled label.
type Recipe struct {
	Kind          string        `json:"kind"`
	Target        string        `json:"target"`
	Positive      string        `json:"positive"`      // what the label +1 means; "" where labels are numbers
	Classes       List[string]  `json:"classes"`       // the labels -1 and +1; empty where labels are numbers
	Threshold     *float64      `json:"threshold"`     // null where labels are numbers
	Preprocessing List[string]  `json:"preprocessing"` // in words, what Columns and RowNorm say
	Features      List[string]  `json:"features"`      // order of the parameters; an intercept follows them
	Columns       List[Scaling] `json:"columns"`       // of each feature; empty: none is scaled

	Categories map[string][]string `json:"categories,omitempty"` // of each text column: its features are called column=value
	Fill       map[string]string   `json:"fill,omitempty"`       // what stands for a missing value, by column

	RowNorm *float64 `json:"row_norm"` // null: rows keep their norm, which they do also at 0
	Label   *Scaling `json:"label"`    // of a regression; null: predictions are labels as they are
}

// NewRecipe takes what the data say of a model of a kind.
func NewRecipe(kind string, d *Data) Recipe {
	r := Recipe{Kind: kind, Target: d.Target, Positive: d.Positive, Classes: d.Classes, Preprocessing: d.Preprocessing,
		Features: d.Features, Columns: d.Columns, RowNorm: d.RowNorm, Label: d.Label, Categories: d.Categories, Fill: d.Fill}
	if len(d.Classes) == 2 {
		half := 0.5
		r.Threshold = &half
	}
	return r
}

// modelFile is model.json: what the parameters of model.npz mean.
type modelFile struct {
	Recipe
	Charged bool             `json:"charged"` // whether the losses cover that everybody sees these parameters
	Notice  string           `json:"notice"`  // the same in words
	Trials  List[trialModel] `json:"trials"`
}

// trialModel gives one trial's parameters by name. A model with another shape
// than one coefficient per feature has its parameters in order instead.
type trialModel struct {
	Seed         uint64            `json:"seed,string"`
	Coefficients map[string]Number `json:"coefficients,omitempty"`
	Intercept    *Number           `json:"intercept,omitempty"`
	Parameters   Vector            `json:"parameters,omitempty"`
}

func newModelFile(r *Result) (*modelFile, error) {
	file := &modelFile{Recipe: NewRecipe(r.Model, &r.Data), Charged: r.Privacy.ModelCharged, Notice: modelNotice(&r.Privacy)}
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
		file.Trials = append(file.Trials, named(t, r.Data.Features))
	}
	return file, nil
}

// named gives the parameters of t the names of the features.
func named(t Trial, features []string) trialModel {
	d := len(features)
	m := trialModel{Seed: t.Seed}
	if len(t.Model) != d && len(t.Model) != d+1 {
		m.Parameters = t.Model
		return m
	}
	m.Coefficients = make(map[string]Number, d)
	for i, name := range features {
		m.Coefficients[name] = Number(t.Model[i])
	}
	if len(t.Model) > d {
		intercept := Number(t.Model[d])
		m.Intercept = &intercept
	}
	return m
}

// pairsFile is privacy.json: what privacy.csv lists and what its columns mean.
type pairsFile struct {
	Nodes     int              `json:"nodes"`
	Metric    string           `json:"metric"`
	Pairs     int64            `json:"pairs"`     // ordered pairs of distinct nodes
	Examined  int64            `json:"examined"`  // pairs whose loss was looked at
	Listed    int64            `json:"listed"`    // lines of privacy.csv
	Selection string           `json:"selection"` // which pairs are listed
	Rounding  string           `json:"rounding"`  // how the losses in the CSV files are
	Columns   List[pairColumn] `json:"columns"`
	Names     List[string]     `json:"names"` // of the nodes, by number; empty: they have none
}

type pairColumn struct {
	Name       string `json:"name"`
	Accountant string `json:"accountant"`
	Status     Status `json:"status"`
	// Assumptions are all that the column takes for granted, what is public among them.
	Assumptions List[string] `json:"assumptions"`
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
		Examined: int64(len(s.seen)) * max(0, n-1), Selection: "all ordered pairs",
		Rounding: fmt.Sprintf("losses in CSV files have %d significant digits, rounded up; audit columns rounded down; privacy.npz, written up to 4096 nodes, has all", lossDigits)}
	file.Listed = file.Examined
	if s.list != nil {
		file.Listed = int64(s.list.Len())
		file.Selection = fmt.Sprintf("the worst %d of the pairs examined, by the first column", s.list.Len())
	}
	for k, name := range columns(s.losses) {
		file.Columns = append(file.Columns, pairColumn{name, s.losses[k].Accountant, s.losses[k].Status, r.Privacy.assumptionsOf(s.losses[k].Accountant)})
	}
	return file
}
