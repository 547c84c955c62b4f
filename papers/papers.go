// Package papers reproduces figures and tables of the papers that Hearsay implements. Each study has a set of
// specs, the paper's results, and ours.
package papers

import (
	"context"
	_ "embed"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/experiment"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/spec"
)

// A Study reproduces one figure or table.
type Study struct {
	ID       string // as in "papers run ID"
	Title    string
	Source   string // place in the paper
	Data     string // required file below the data folder, "" for none
	Variants []Variant

	base    []byte                                                                      // spec that variants change; nil: specs/houses.yaml
	judge   func([]Outcome) []Check                                                     // expected results of the runs; nil: none
	compute func(ctx context.Context, data string, say func(string)) (*Findings, error) // computations other than runs of a spec; nil: none
	quick   func(ctx context.Context, data string, say func(string)) (*Findings, error) // the same on a small instance, in seconds
	small   func(*spec.Spec)                                                            // shrinks every variant's spec; nil: no quick version
	differs map[string]string                                                           // reasons for claims of a paper that are not reproduced
}

// A Variant is one line of a figure or one cell of a table.
type Variant struct {
	Name   string  `json:"name"`
	Paper  float64 `json:"paper,omitempty"`  // accuracy in the paper, 0 if it gives none
	Spread float64 `json:"spread,omitempty"` // its standard deviation over runs
	heavy  bool    // left out of a quick version
	change func(*spec.Spec)
}

// An Outcome is the result of one variant.
type Outcome struct {
	Variant Variant        `json:"variant"`
	Result  *report.Result `json:"result"`
}

// All lists every study.
func All() []Study {
	return []Study{
		table1(), table1Gossip(), figure1(false), figure1(true), figure2(1), figure2(10), accountants(),
		figure61a(), figure61b(), figure61c(), tableC2(), gammaTradeoff(), walkAndGossip(), weightsOrNot(), noisyWeights(), walkOrGossip(), besideFLamby(),
		figure71a(), figure71b(), figure72(), figureD1(), lasso(),
		figure3(), figure5(), figure6(), figure8(), figureC1(), figureC2(), figureC3(), figureC4(), figure42(),
		table41(), tableA1(), lineOfImages(), lineOfDigits(), florentineImages(), florentineDigits(), learningRates(), geometricSpread(), egoSpread(),
		smallGraphs(), spectralGaps(), utilities(), membershipStudy(),
	}
}

// names are the titles of the papers by number.
var names = map[string]string{
	"000": "Differentially private decentralized learning with random walks", "001": "Muffliato",
	"002": "thesis private decentralized machine learning", "004": "weighted random walks Gamma",
}

// Search returns the studies whose ID, title, source or paper names contain every word, in any case. A figure or
// a table by number, as in "muffliato figure 1", selects that figure of the paper with its parts.
func Search(words ...string) (found []Study) {
	if p, rest, some := placeIn(words); some {
		for _, s := range All() {
			if s.shows(p, rest) {
				found = append(found, s)
			}
		}
		return found
	}
	for _, s := range All() {
		text := s.ID + " " + s.Title + " " + s.Source
		for number, name := range names {
			if strings.Contains(text, number) {
				text += " " + name
			}
		}
		text = strings.ToLower(text)
		missing := func(w string) bool { return !strings.Contains(text, strings.ToLower(w)) }
		if !slices.ContainsFunc(words, missing) {
			found = append(found, s)
		}
	}
	return found
}

// Find returns the study called id, or the only one that matches all words of id.
func Find(id string) (Study, error) {
	found, err := Choose(id)
	if err == nil && len(found) > 1 {
		return Study{}, several(id, found)
	}
	if err != nil {
		return Study{}, err
	}
	return found[0], nil
}

// Choose returns the study called id, the studies of a figure or table that id names by number, or the only one
// that matches all words of id.
func Choose(id string) ([]Study, error) {
	all := All()
	if i := slices.IndexFunc(all, func(s Study) bool { return s.ID == id }); i >= 0 {
		return all[i : i+1], nil
	}
	words := strings.Fields(id)
	found := Search(words...)
	_, _, one := placeIn(words)
	switch {
	case len(found) == 0:
		return nil, fault.New(fmt.Sprintf("there is no study %q", id), "choose one of"+listed(all))
	case len(found) > 1 && !one:
		return nil, several(id, found)
	}
	return found, nil
}

func several(id string, found []Study) error {
	return fault.New(fmt.Sprintf("%q is in %d studies", id, len(found)), "choose one of"+listed(found))
}

func listed(studies []Study) (ids string) {
	for _, s := range studies {
		ids += " " + s.ID
	}
	return ids
}

// Quick returns the study on a small instance: the same orderings, in seconds.
func (s Study) Quick() Study {
	s.compute = s.quick
	variants := s.Variants
	s.Variants = nil
	for _, v := range variants {
		if s.small != nil && !v.heavy {
			v.Paper, v.Spread, v.change = 0, 0, both(v.change, s.small)
			s.Variants = append(s.Variants, v)
		}
	}
	return s
}

// Spec returns the variant's spec, with its data below dataDir.
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

// onGraph sets a walk on a graph, calibrated to a mean loss.
func onGraph(expression string, eps float64) func(*spec.Spec) {
	return func(s *spec.Spec) {
		s.Graph = expression
		s.Privacy.Calibrate = &spec.Calibrate{Mean: eps}
	}
}

// pricedBy sets the accountant that calibrates the walk on the complete graph to a mean loss of 1.
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

// without removes the noise.
func without(s *spec.Spec) {
	zero := 0.0
	s.Privacy.Sigma, s.Privacy.Calibrate = &zero, nil
}
