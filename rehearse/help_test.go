package rehearse

import (
	"slices"
	"strings"
	"testing"
)

// Where nobody gains, what would help is rehearsed in turn, and the spec stays as it is.
func TestWhatWouldHelpIsRehearsed(t *testing.T) {
	text := classes + "graph: complete:4\nmodel: {kind: logistic}\nalgorithm: {kind: gossip-gd, steps: 6, step_size: 1, clip: 1}\nprivacy: {sigma: 1, accountant: local}\n"
	s := specOf(t, text, 0)
	o := Options{Trials: 3, Rows: 24, Difficulties: []string{"middling"}, LeastGain: 0.9}
	if plain := run(t, s, o); !strings.Contains(plain.Helping, "--what-would-help") || plain.Help != nil {
		t.Errorf("%q, %+v", plain.Helping, plain.Help)
	}
	o.WhatWouldHelp = true
	r := run(t, s, o)
	if len(r.Help) != 4 || r.Help[0].Helps || r.Help[1].Helps || r.Help[2].Helps ||
		!strings.HasPrefix(r.Helping, "Not a yes for anybody: a noise multiplier of 0.5 instead of 1; ") || !strings.Contains(r.Helping, "; 4 times the rows of each; 8 participants instead of 4; one record as the unit") {
		t.Errorf("%q, %+v, %q", r.Helping, r.Help, r.Notes)
	}
	want := []string{"a noise multiplier of 0.5 instead of 1", "a noise multiplier of 0.25 instead of 1", "a noise multiplier of 0.125 instead of 1"}
	if !slices.Equal(r.Help[0].Tried, want) || *s.Privacy.Sigma != 1 {
		t.Errorf("%q; the spec has sigma %g", r.Help[0].Tried, *s.Privacy.Sigma)
	}
}

// A loss that would be above 10 is not tried.
func TestLargerLossesEndAtTen(t *testing.T) {
	if tries := largerLosses(specOf(t, records, 12)); len(tries) != 1 || tries[0].name != "a loss of 8 instead of 4" {
		t.Errorf("%+v", tries)
	}
}

// The first of the changes with a yes ends the search: with an eighth of the noise, somebody with 3 rows to learn from gains.
func TestTheFirstThatHelpsIsSaid(t *testing.T) {
	text := classes + "graph: complete:4\nmodel: {kind: logistic}\nalgorithm: {kind: gossip-gd, steps: 20, step_size: 1, clip: 1}\nprivacy: {sigma: 2, accountant: local}\n"
	r := run(t, specOf(t, text, 0), Options{Trials: 30, Rows: 4, Difficulties: []string{"easy"}, WhatWouldHelp: true})
	if len(r.Help) != 4 || !r.Help[0].Helps || len(r.Help[0].Tried) != 3 || !strings.HasPrefix(r.Helping, "With a noise multiplier of 0.25 instead of 2 it would be worth it for 1. Not a yes for anybody: a noise multiplier of 1 instead of 2; a noise multiplier of 0.5 instead of 2; 4 times the rows of each") {
		t.Errorf("%q, %+v", r.Helping, r.Help)
	}
}
