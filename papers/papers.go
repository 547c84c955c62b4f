// Package papers reproduces figures and tables of the papers that Hearsay
// implements: each is a set of specs, what the paper shows, and what we get.
package papers

import (
	"context"
	_ "embed"
	"fmt"
	"path/filepath"

	"github.com/hearsay-dp/hearsay/experiment"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/spec"
)

// A Study is one figure or table.
type Study struct {
	ID       string // as in "papers run ID"
	Title    string
	Source   string // where the paper shows it
	Data     string // file below the data folder that it needs, "" for none
	Variants []Variant

	base    []byte                                                                      // spec that variants change; nil: specs/houses.yaml
	judge   func([]Outcome) []Check                                                     // what the runs must show; nil: nothing
	compute func(ctx context.Context, data string, say func(string)) (*Findings, error) // what is no run of a spec; nil: nothing
	quick   func(ctx context.Context, data string, say func(string)) (*Findings, error) // the same on little, in seconds; nil: there is none
}

// A Variant is one line of a figure or one cell of a table.
type Variant struct {
	Name   string
	Paper  float64 // accuracy the paper reports, 0 where it gives none
	Spread float64 // its standard deviation over runs
	change func(*spec.Spec)
}

// An Outcome is what one variant gave.
type Outcome struct {
	Variant Variant
	Result  *report.Result
}

// All lists every study.
func All() []Study {
	return []Study{
		table1(), table1Gossip(), figure1(false), figure1(true), figure2(1), figure2(10), accountants(),
		figure61a(), figure61b(), figure61c(), tableC2(), gammaTradeoff(), walkAndGossip(), weightsOrNot(), noisyWeights(), walkOrGossip(), besideFLamby(),
		figure71a(), figure71b(), figure72(), figureD1(),
	}
}

// Find returns the study called id.
func Find(id string) (Study, error) {
	known := ""
	for _, s := range All() {
		if s.ID == id {
			return s, nil
		}
		known += " " + s.ID
	}
	return Study{}, fault.New(fmt.Sprintf("there is no study %q", id), "choose one of"+known)
}

// Quick is the study on little: the same orderings, in seconds.
func (s Study) Quick() (Study, error) {
	if s.quick == nil {
		return s, fault.New(s.ID+" has no quick version", "leave out --quick")
	}
	s.compute = s.quick
	return s, nil
}

// Spec is the variant's spec, with its data below dataDir.
func (s Study) Spec(v Variant, dataDir string) (*spec.Spec, error) {
	base := s.base
	if base == nil {
		base = houses
	}
	made, err := experiment.Parse(base, "papers/specs")
	if err != nil {
		return nil, err
	}
	made.Name = s.ID + ": " + v.Name
	if s.Data != "" {
		made.Data.Path = filepath.Join(dataDir, filepath.FromSlash(s.Data))
	}
	v.change(made)
	return made, nil
}

//go:embed specs/houses.yaml
var houses []byte

// onGraph walks on a graph, calibrated to a mean loss.
func onGraph(expression string, eps float64) func(*spec.Spec) {
	return func(s *spec.Spec) {
		s.Graph = expression
		s.Privacy.Calibrate = &spec.Calibrate{Mean: eps}
	}
}

// pricedBy calibrates the walk on the complete graph to a mean loss of 1 by
// an accountant.
func pricedBy(accountant string) func(*spec.Spec) {
	return func(s *spec.Spec) { s.Privacy.Accountant, s.Privacy.Conversion = accountant, "mironov" }
}

// baseline replaces the walk by local or central DP-SGD.
func baseline(kind, accountant string, eps float64) func(*spec.Spec) {
	return func(s *spec.Spec) {
		s.Nodes, s.Algorithm.Kind, s.Privacy.Accountant = 2048, kind, accountant
		s.Privacy.Calibrate = &spec.Calibrate{Mean: eps}
		if kind == "central" {
			s.Algorithm.Contributions = 0
		}
	}
}

// without is the run without noise.
func without(s *spec.Spec) {
	zero := 0.0
	s.Privacy.Sigma, s.Privacy.Calibrate = &zero, nil
}
