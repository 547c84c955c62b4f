package spec

import (
	"fmt"
	"time"
)

// checkFederation fills in the settings of a real run and refuses, with the reason, settings that a real
// run cannot have. It must run before the other checks, because it sets the defaults that a federation has.
func (s *Spec) checkFederation() error {
	if s.Federation == nil {
		s.Federation = &Federation{}
	}
	for _, check := range []func() error{s.Federation.check, s.checkPublicData, s.checkRealAlgorithm, s.checkPatience, s.checkRealPrivacy} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// maxRelays is the largest number of relays that a federation lists.
const maxRelays = 8

func (f *Federation) check() error {
	setZero(&f.Tick, 10*time.Millisecond)
	setZero(&f.Linger, 10*time.Second)
	if f.Unreachable == "" {
		f.Unreachable = "wait"
	}
	if err := OneOf("federation.unreachable", f.Unreachable, "wait", "around"); err != nil {
		return err
	}
	if err := f.checkSigned(); err != nil {
		return err
	}
	switch {
	case len(f.Relays) > maxRelays:
		return invalid(fmt.Sprintf("federation.relays: %d are listed", len(f.Relays)), fmt.Sprintf("list at most %d", maxRelays))
	case f.RelayOnly && len(f.Relays) == 0:
		return invalid("federation.relay_only: there is no relay", "list federation.relays, or leave it out")
	}
	for _, d := range []struct {
		key              string
		value, low, high time.Duration
		open             bool // 0 is allowed too
	}{
		{"tick", f.Tick, time.Millisecond, time.Minute, false},
		{"linger", f.Linger, time.Millisecond, 24 * time.Hour, false},
		{"patience", f.Patience, 100 * f.Tick, 365 * 24 * time.Hour, true},
		{"lease", f.Lease, 100 * f.Tick, 365 * 24 * time.Hour, true},
		{"deadline", f.Deadline, time.Second, 10 * 365 * 24 * time.Hour, true},
		{"pace", f.Pace, time.Millisecond, 10 * time.Second, true},
		{"silence", f.Silence, 100 * f.Tick, 365 * 24 * time.Hour, true},
	} {
		if (d.value < d.low || d.value > d.high) && !(d.open && d.value == 0) {
			return invalid(fmt.Sprintf("federation.%s: %v is out of range", d.key, d.value), fmt.Sprintf("it must be between %v and %v", d.low, d.high))
		}
	}
	return nil
}

func setZero(d *time.Duration, value time.Duration) {
	if *d == 0 {
		*d = value
	}
}

func setText(s *string, value string) {
	if *s == "" {
		*s = value
	}
}

// checkPublicData refuses settings that would need a look at the data of all participants.
func (s *Spec) checkPublicData() error {
	if s.External() {
		return s.checkPublicExternal()
	}
	d := &s.Data
	setText(&d.Scale, "ranges")
	setText(&d.Normalise, "unit")
	if d.Test == nil {
		d.Test = &Test{Share: 0.2}
	}
	for _, wrong := range []struct {
		bad        bool
		what, hint string
	}{
		{d.Source != "csv", fmt.Sprintf("data.source: %q is not read by a participant", d.Source), "use source: csv; each participant names its file with --data"},
		{d.Scale != "ranges", fmt.Sprintf("data.scale: %s, but a federation knows no statistic of all data, and fits nothing to "+
			"a participant's own", d.Scale), "use scale: ranges, with the public range of each feature"},
		{d.Partition != "" && d.Partition != "uniform", fmt.Sprintf("data.partition: %s, but each participant brings its own data", d.Partition),
			"leave partition out"},
		{d.Rows != 0, "data.rows: each participant uses all rows of its file", "leave rows out"},
		{d.Missing != "" && d.Missing != "drop" && d.Missing != "error", fmt.Sprintf("data.missing: %q is not known", d.Missing),
			"use drop, which leaves out rows with a missing value that fill: has nothing for, or error"},
		{d.Drop != nil, "data.drop: columns without a range are left out anyway", "leave drop out"},
		{d.Test.Own, "data.test: a participant's file has no test part of its own",
			"give the share of its rows that each participant keeps for testing, such as 0.2"},
		{len(d.Ranges)+len(d.Categories) == 0, "data.ranges: are missing; they also say which columns are features",
			"give the lowest and the highest value of each feature, such as {age: [0, 120]}, or under data.categories the values of a text column"},
		{s.Trials != 1, "trials: a federation trains once", "leave trials out"},
	} {
		if wrong.bad {
			return invalid(wrong.what, wrong.hint)
		}
	}
	return s.checkClasses()
}

// checkClasses checks the classes or the range of the labels. The spec must give them, because no participant's file says them.
func (s *Spec) checkClasses() error {
	d := &s.Data
	if s.Model.isOf("ridge", "absolute") {
		setText(&d.Task, "regression")
	}
	setText(&d.Task, "classification")
	_, ranged := d.Ranges[d.Target]
	numbers := s.Model.isOf("ridge", "absolute") || s.Model.is("mlp") && d.Task == "regression"
	classes := (s.Model.classifies() || s.Model.is("histogram")) && !numbers
	distinct := map[string]bool{}
	for _, class := range d.Classes {
		distinct[class] = true
	}
	for _, wrong := range []struct {
		bad        bool
		what, hint string
	}{
		{d.Target == "" && !s.Model.is("mean"), "data.target: is missing", "name the label column"},
		{s.Model.isOf("logistic", "hinge") && len(d.Classes) != 2, "data.classes: are missing; a participant's file need not hold both " +
			"labels", "give the two labels, the positive one last, such as [healthy, ill]"},
		{classes && len(d.Classes) < 2, "data.classes: are missing; a participant's file need not hold all labels", "list them all, such as [red, green, blue]"},
		{len(d.Classes) == 2 && len(distinct) < 2, "data.classes: both are the same", "give two different labels"},
		{len(distinct) < len(d.Classes), "data.classes: one stands there twice", "list every label once"},
		{numbers && !ranged, fmt.Sprintf("data.ranges: %s, the target, has none", d.Target), "give the lowest and the highest value that the label can have"},
		{classes && ranged, fmt.Sprintf("data.ranges: %s is the target, whose labels are classes", d.Target), "leave it out of ranges"},
	} {
		if wrong.bad {
			return invalid(wrong.what, wrong.hint)
		}
	}
	return nil
}

// checkRealAlgorithm refuses algorithms and settings that only a simulator can run.
func (s *Spec) checkRealAlgorithm() error {
	kind := s.Kind()
	if kind != nil { // an unknown kind is refused later
		if kind.Simulated != "" {
			return invalid(fmt.Sprintf("algorithm.kind: %s %s", kind.Name, kind.Simulated), "use walk, gossip, gossip-gd or gossip-sgd")
		}
		if err := kind.Family.CheckReal(s); err != nil {
			return err
		}
	}
	if s.External() && !s.Model.realKinds(s.Algorithm.Kind) {
		return invalid(fmt.Sprintf("algorithm.kind: %s, but real nodes ask a program for the gradients of gossip alone", s.Algorithm.Kind), "use gossip-gd or gossip-sgd")
	}
	if average := s.Algorithm.Average; average != "none" && (average != "half" || kind == nil || !kind.OwnAverage) {
		return invalid(fmt.Sprintf("algorithm.average: %s, but no participant sees all iterates", average), "leave average out")
	}
	return nil
}

// checkPatience sets the patience of nodes that go on without a silent one. It refuses it where nodes wait.
func (s *Spec) checkPatience() error {
	f := s.Federation
	goesOn, ok := s.Algorithm.Own.(GoesOn)
	switch {
	case f.Unreachable == "around" || ok && goesOn.GoesOn():
		setZero(&f.Patience, max(30*time.Second, 100*f.Tick))
	case f.Patience != 0:
		return invalid("federation.patience: a node that waits has no end of patience", "use unreachable: around, gossip with absent, or leave patience out")
	}
	return nil
}

// checkRealPrivacy refuses privacy settings whose numbers are no bounds.
func (s *Spec) checkRealPrivacy() error {
	p := &s.Privacy
	why := s.OnlyLocal()
	if p.Accountant == Sound {
		p.Accountant = "" // all that a federation may name is sound; the default is the least
	}
	switch kind := s.Kind(); {
	case p.Accountant != "":
	case why != "":
		p.Accountant = "local"
	case kind != nil:
		p.Accountant = kind.Real
	}
	for _, wrong := range []struct {
		bad        bool
		what, hint string
	}{
		{p.Metric.Delta == 0, "privacy.metric: a federation states epsilon at a delta", "give metric: {epsilon_at_delta: 1.0e-6}"},
		{p.Sigma != nil && *p.Sigma == 0, "privacy.sigma: without noise nothing is private", "give a sigma above 0, or calibrate"},
		{p.Accountant == "published", "privacy.accountant: published is a formula in print, not always a bound", "leave accountant out"},
		{p.Sender == "hidden", "privacy.sender: the wire shows who handed the token over", "leave sender out"},
		{why != "" && p.Accountant != "local", fmt.Sprintf("privacy.accountant: %s, but %s", p.Accountant, why), "use accountant: local"},
	} {
		if wrong.bad {
			return invalid(wrong.what, wrong.hint)
		}
	}
	return nil
}

// OnlyLocal returns the reason why no accountant but the local one holds for a federation. It returns "" if
// others hold, too.
func (s *Spec) OnlyLocal() string {
	if s.FollowsFailures() {
		return "with unreachable: around or a lease, failures decide who sees what"
	}
	if kind := s.Kind(); kind != nil {
		return kind.Family.OnlyLocal(s)
	}
	return ""
}
