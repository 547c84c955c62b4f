package papers

import (
	"encoding/csv"
	"fmt"
	"io"
	"text/tabwriter"
)

// Findings are what a study gave: tables, figures, and how they compare with
// what the paper says.
type Findings struct {
	Tables   []Table   `json:"tables"`
	Charts   []Chart   `json:"charts"`
	Checks   []Check   `json:"checks"`
	NotAsked []Check   `json:"not_asked,omitempty"` // claims of the full version that a quick one is too little to refute
	Outcomes []Outcome `json:"outcomes,omitempty"`  // of the runs, where a study has any

	evidence []evidence
}

// Evidence is what some checks are made of: a pointer to what was measured, and what that says.
type evidence struct {
	measured any
	says     func() []Check
}

// judge adds the checks that measured values say. They depend on what measured points to and on constants, on nothing else, so that
// a test can ask again of other values whether each check can fail, and can come out.
func (f *Findings) judge(measured any, says func() []Check) {
	f.Checks = append(f.Checks, says()...)
	f.evidence = append(f.evidence, evidence{measured, says})
}

// reworded changes what all checks say, or which of them are kept.
func (f *Findings) reworded(change func([]Check) []Check) {
	f.Checks = change(f.Checks)
	for i, e := range f.evidence {
		f.evidence[i].says = func() []Check { return change(e.says()) }
	}
}

// A Table goes to NAME.csv.
type Table struct {
	Name   string     `json:"name"`
	Header []string   `json:"header"`
	Rows   [][]string `json:"rows"`
}

// A Check is one sentence of a paper and what we measured.
type Check struct {
	Claim    string `json:"claim"`
	Basis    Basis  `json:"basis"`
	Holds    bool   `json:"holds"`
	Measured string `json:"measured"`
}

// A Basis says how losses were charged when a claim was looked at.
type Basis string

// AsPublished checks say whether we reproduce the paper, AsRecorded ones whether what
// we say in docs/ of our own numbers still holds; a study where one of these fails has
// failed. The others are findings: either answer is one.
const (
	AsPublished Basis = "as published"
	AsRecorded  Basis = "as recorded"
	WhatIsTrue  Basis = "what is true"
	TrueAtDelta Basis = "what is true at delta 1e-6"
)

// WriteCSV writes the table with its header.
func (t Table) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	if err := out.WriteAll(append([][]string{t.Header}, t.Rows...)); err != nil {
		return err
	}
	return out.Error()
}

// WriteText writes the first table and the checks for a terminal.
func (s Study) WriteText(w io.Writer, f *Findings) error {
	if len(f.Tables) > 0 {
		if err := f.Tables[0].WriteCSV(w); err != nil {
			return err
		}
	}
	if len(f.Checks)+len(f.NotAsked) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, c := range s.judged(f) {
		if c.Reason != "" {
			c.Reason = "; " + c.Reason
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s%s\n", c.Basis, c.Verdict, c.Claim, c.Measured, c.Reason)
	}
	return t.Flush()
}
