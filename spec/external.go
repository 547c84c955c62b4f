package spec

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// external names both the kind of models that another program computes and the source of the rows that the program holds.
const external = "external"

// mostParameters of an external model.
const mostParameters = 1 << 28

// externalKinds lists the algorithms that need nothing of a model but its gradients.
var externalKinds = []string{"gossip-gd", "gossip-sgd", "walk", "complete-sgd", "fixed-point", "central", "local"}

// digest matches the digest of the layout and of the initial parameters of an external model.
var digest = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

// programName matches the names that a program may give its model.
var programName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// External reports whether another program computes the model.
func (s *Spec) External() bool { return s.Model.Kind == external }

// Called names the model as a policy does: its kind, followed for an external model by a colon and the model's name.
func (m Model) Called() string {
	if m.is(external) {
		return m.Kind + ":" + m.Name
	}
	return m.Kind
}

// checkExternal checks the keys of external models.
func (s *Spec) checkExternal() error {
	m, d := &s.Model, &s.Data
	if !m.is(external) {
		switch {
		case m.Name != "" || m.Parameters != 0 || m.Layout != "" || m.Initial != "" || m.Task != "":
			return invalid(fmt.Sprintf("model: name, parameters, layout, initial and task are of an external model, not of %s", m.Kind), "leave them out, or use kind: external")
		case d.Source == external:
			return invalid(fmt.Sprintf("data.source: external, but a model of kind %s takes rows that Hearsay reads", m.Kind), "use model.kind: external, or give another source")
		case d.TrainRows != 0 || d.TestRows != 0:
			return invalid("data: train_rows and test_rows are of source: external", "leave them out")
		}
		return nil
	}
	switch {
	case d.Source != external:
		return invalid(fmt.Sprintf("data.source: %s, but rows of an external model stay in its program", d.Source), "use source: external, with train_rows and test_rows")
	case !programName.MatchString(m.Name):
		return invalid(fmt.Sprintf("model.name: %q", m.Name), "give what the program calls the model: letters, digits, dots and dashes, such as mnist-cnn")
	case m.Parameters < 1 || m.Parameters > mostParameters:
		return invalid(fmt.Sprintf("model.parameters: %d", m.Parameters), fmt.Sprintf("give how many numbers the model has, 1 to %d: hearsay model check --model PROGRAM prints the block", mostParameters))
	case !digest.MatchString(m.Layout):
		return invalid(fmt.Sprintf("model.layout: %q is no digest", m.Layout), "give sha256:HEX of 64 digits: hearsay model check --model PROGRAM prints the block")
	case m.Initial != "" && !digest.MatchString(m.Initial):
		return invalid(fmt.Sprintf("model.initial: %q is no digest", m.Initial), "give sha256:HEX of 64 digits: hearsay model check --model PROGRAM prints the block")
	case m.Regulariser != nil:
		return invalid("model.regulariser: an external model has none but l2", "leave it out, or put it into the program's loss, a share of it into each row's")
	case !slices.Contains(externalKinds, s.Algorithm.Kind):
		return invalid(fmt.Sprintf("algorithm.kind: %s asks more of a model than its gradients, and nothing is known of an external one", s.Algorithm.Kind),
			"use one of "+strings.Join(externalKinds, ", "))
	}
	s.Algorithm.Fill = false // nothing is known of how long gradients are
	if m.Task == "" {
		m.Task = "classification"
	}
	if m.Task != "classification" && m.Task != "regression" {
		return invalid(fmt.Sprintf("model.task: %q", m.Task), "use classification or regression")
	}
	return nil
}

// realKinds reports whether real nodes can run this algorithm kind on an external model.
func (Model) realKinds(kind string) bool { return kind == "gossip-gd" || kind == "gossip-sgd" }

// checkPublicExternal refuses keys that need the rows of every participant's program. It also refuses a federation without a digest
// of the initial parameters, because all must begin with the same ones.
func (s *Spec) checkPublicExternal() error {
	d := &s.Data
	for _, wrong := range []struct {
		bad        bool
		what, hint string
	}{
		{d.TrainRows != 0 || d.TestRows != 0, "data: train_rows and test_rows, but each participant's program holds rows of its own", "leave them out; with unit: record participants declare their rows"},
		{s.Model.Initial == "", "model.initial: is missing, and all must begin with the same numbers", "give their digest: hearsay model check --model PROGRAM prints it"},
		{d.Test != nil, "data.test: a program says which of its rows are for testing", "leave it out"},
		{d.Path != "" || d.Rows != 0 || d.Ranges != nil || d.Categories != nil || d.Classes != nil || d.Target != "", "data: rows of an external source are the program's, and so is what they are", "leave everything out but source: external"},
		{s.Trials != 1, "trials: a federation trains once", "leave trials out"},
	} {
		if wrong.bad {
			return invalid(wrong.what, wrong.hint)
		}
	}
	d.Scale, d.Normalise, d.Test = "none", "none", &Test{}
	return nil
}
