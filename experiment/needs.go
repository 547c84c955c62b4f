package experiment

import (
	"fmt"
	"math"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/report"
)

// A use says how a key of the spec enters what an accountant charges.
type use uint8

const (
	free    use = iota // the number holds whatever the key says
	priced             // the key is an input of the accountant
	needed             // the proof needs some value, and others are refused
	claimed            // not charged: a note or an assumption beside the number says so
	absent             // the algorithms of this accountant have no such key
)

// An accounting is a column of uses: an accountant, and what it prices.
type accounting uint8

const (
	byPath accounting = iota
	locally
	byCurator // the central baseline, tight
	byView    // averaging, exact
	walkInPrint
	localInPrint
	centralInPrint
	gossipInPrint
	accountings // how many there are
)

// uses is what each accountant needs of each key of algorithm and privacy. A key
// without a line fails a test: whoever adds one says here what it does to every
// number.
var uses = map[string][accountings]use{
	"kind":          all(priced),
	"steps":         {priced, free, priced, priced, priced, priced, priced, priced},
	"step_size":     {needed, free, free, absent, needed, free, free, free}, // constant and at most 2/beta: amplification by iteration
	"clip":          all(free),                                              // sigma is in units of the sensitivity, 2 clip
	"average":       {claimed, free, free, absent, claimed, free, free, free},
	"fill":          {free, free, free, absent, free, free, free, free}, // the sensitivity stays 2 clip, the step below 2/beta
	"weigh_rows":    {free, free, free, absent, free, free, free, free}, // a weight of at most 1 on what was clipped
	"contributions": {priced, priced, needed, priced, priced, priced, needed, priced},
	"tokens":        all(priced), // one, says the spec
	"burn_in":       {priced, free, free, absent, free, free, free, absent},
	"radius":        {free, free, free, absent, free, free, free, free}, // a projection is non-expansive, and post-processing
	"start":         {priced, free, needed, absent, free, free, needed, absent},
	"gossip_steps":  {absent, free, absent, absent, absent, absent, absent, priced},
	"acceleration":  {absent, free, absent, free, absent, absent, absent, free}, // messages span the same space
	"wake":          {absent, free, absent, priced, absent, absent, absent, needed},
	"dropout":       {absent, free, absent, priced, absent, absent, absent, needed},
	"redraw":        {absent, free, absent, priced, absent, absent, absent, needed},
	"batch":         {absent, free, absent, absent, absent, absent, absent, free}, // no more than all of a node's rows
	"sigma":         all(priced),
	"calibrate":     all(priced),
	"accountant":    all(priced),
	"metric":        {priced, priced, priced, priced, priced, needed, needed, priced}, // the papers' baselines know epsilon at a delta only
	"release":       {priced, free, free, needed, claimed, free, free, needed},
	"sender":        {free, free, free, free, priced, free, free, free},
	"condition":     {free, free, free, free, priced, free, free, free},
	"conversion":    {free, free, free, free, priced, free, free, free},
	"coalition":     all(free), // besides all pairs, by the path accountant alone (spec)
}

// all is the same use by every accountant.
func all(u use) (row [accountings]use) {
	for i := range row {
		row[i] = u
	}
	return row
}

// checks refuse what a proof cannot have, of the accountants that use a key so.
// What gossip and the papers' baselines need is checked where they are set up.
var checks = []struct {
	key string
	use use
	met func(s *Setup) error
}{
	{"contributions", priced, (*Setup).checkCap},
	{"contributions", needed, (*Setup).checkUniformDraws},
	{"start", needed, (*Setup).checkSecretStart},
	{"step_size", needed, (*Setup).checkNonExpansive},
}

// accounting is the column of the spec's accountant.
func (s *Setup) accounting() accounting {
	printed := s.Spec.Privacy.Accountant == string(report.Published)
	for _, c := range []struct {
		is bool
		a  accounting
	}{
		{s.Spec.Algorithm.Kind == "central" && printed, centralInPrint},
		{s.Spec.Algorithm.Kind == "central", byCurator},
		{s.Spec.Algorithm.Kind == "local" && printed, localInPrint},
		{s.Spec.Privacy.Accountant == report.LocalAccountant, locally},
		{s.Spec.Algorithm.IsGossip() && printed, gossipInPrint},
		{s.Spec.Algorithm.IsGossip(), byView},
		{printed, walkInPrint},
	} {
		if c.is {
			return c.a
		}
	}
	return byPath
}

// checkAssumptions refuses to price a walk or a baseline on grounds that it does
// not have.
func (s *Setup) checkAssumptions() error {
	for _, c := range checks {
		if uses[c.key][s.accounting()] != c.use {
			continue
		}
		if err := c.met(s); err != nil {
			return err
		}
	}
	return nil
}

// checkCap holds what every accountant of a node's releases counts.
func (s *Setup) checkCap() error {
	if s.Protocol.Cap > 0 {
		return nil
	}
	return fault.New("algorithm.contributions: without a cap nothing bounds what a node gives away",
		fmt.Sprintf("set contributions, such as %d (1.2 times the mean number of visits)", int(math.Ceil(1.2*float64(s.Protocol.Steps)/float64(s.Protocol.Nodes)))))
}

// checkSecretStart holds that the curator draws the first node too: one that the
// spec names is known to all, and its contribution hides behind nobody.
func (s *Setup) checkSecretStart() error {
	start := s.Spec.Algorithm.Start
	if start.Uniform {
		return nil
	}
	return fault.New(fmt.Sprintf("algorithm.start: %d is public, but the central baseline is priced for a curator who draws every node in secret", start.Node),
		"leave start out, or use start: uniform")
}

// checkUniformDraws holds that each step draws every node alike, whatever was
// drawn before: a cap makes a draw's effect depend on the secret past.
func (s *Setup) checkUniformDraws() error {
	if s.Protocol.Cap == 0 {
		return nil
	}
	return fault.New(fmt.Sprintf("algorithm.contributions: %d, but the central baseline is priced for draws that do not depend on earlier ones, as a cap makes them", s.Protocol.Cap),
		"leave contributions out, or use kind: local, whose price is the cap")
}

// checkNonExpansive holds what amplification by iteration needs: a convex,
// smooth loss whose clipped steps bring no two models further apart, and as
// much noise in every later turn.
func (s *Setup) checkNonExpansive() error {
	g := s.Guarantees
	switch {
	case !g.Convex() || !g.ClipSafe():
		return fault.New(fmt.Sprintf("the %s accountant needs a convex loss that stays so when clipped; %s is not", s.Spec.Privacy.Accountant, s.Objective.Name()),
			"use privacy.accountant: local")
	case math.IsInf(g.Smoothness(), 1):
		return fault.New(fmt.Sprintf("the %s accountant needs a smooth loss, but nothing bounds the features", s.Spec.Privacy.Accountant),
			"use data.normalise: unit, public data.ranges, or privacy.accountant: local")
	case s.Protocol.StepSize.Power > 0:
		return fault.New(fmt.Sprintf("the %s accountant needs a constant step size: with a decreasing one, later turns add less noise than it counts on", s.Spec.Privacy.Accountant),
			"give a number for algorithm.step_size, use privacy.accountant: local, or simulate paths: hearsay privacy walk --step-power")
	}
	return nil
}
