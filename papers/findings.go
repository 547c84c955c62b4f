package papers

import (
	"encoding/csv"
	"fmt"
	"io"
	"text/tabwriter"
)

// Findings holds the results of a study: tables, figures, and comparisons with the paper's claims.
type Findings struct {
	Tables   []Table   `json:"tables"`
	Charts   []Chart   `json:"charts"`
	Checks   []Check   `json:"checks"`
	NotAsked []Check   `json:"not_asked,omitempty"` // claims of the full version that a quick one is too small to refute
	Outcomes []Outcome `json:"outcomes,omitempty"`  // of the runs, if the study has any

	evidence []evidence
}

// evidence holds a pointer to measured values and the function that turns them into checks.
type evidence struct {
	measured any
	says     func() []Check
}

// judge adds the checks that says derives from measured values. says must depend only on the values that measured
// points to and on constants. A test can then replace the values and verify that each check can fail and can pass.
func (f *Findings) judge(measured any, says func() []Check) {
	f.Checks = append(f.Checks, says()...)
	f.evidence = append(f.evidence, evidence{measured, says})
}

// reworded changes the texts of all checks, or drops some of them.
func (f *Findings) reworded(change func([]Check) []Check) {
	f.Checks = change(f.Checks)
	for i, e := range f.evidence {
		f.evidence[i].says = func() []Check { return change(e.says()) }
	}
}

// A Table is written to NAME.csv.
type Table struct {
	Name   string     `json:"name"`
	Header []string   `json:"header"`
	Rows   [][]string `json:"rows"`
}

// A Check is one sentence of a paper with our measurement.
type Check struct {
	Claim    string `json:"claim"`
	Basis    Basis  `json:"basis"`
	Holds    bool   `json:"holds"`
	Measured string `json:"measured"`
}

// A Basis says how losses are charged in a check.
type Basis string

// AsPublished checks say whether we reproduce the paper. AsRecorded checks say whether the statements in docs/ about
// our own numbers still hold. A study fails if one of these fails. The others are findings, for which both answers are
// valid.
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
