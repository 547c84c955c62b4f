package spec

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// An Earlier is the model of an earlier run, with which this run begins instead of its model's usual start. The earlier
// run's losses cover it.
type Earlier struct {
	File       string    `yaml:"file,omitempty"`       // model.json of the earlier run, relative to the spec's folder; "": Spec and Parameters say it
	Spec       string    `yaml:"spec,omitempty"`       // hash of the earlier run's spec, sha256:HEX
	Before     []string  `yaml:"before,omitempty"`     // hashes of the specs of the runs that the earlier run went back to itself, latest first
	Parameters []float64 `yaml:"parameters,omitempty"` // in the order of the model
}

// Runs returns the hashes of the specs of all runs that a run goes back to, latest first. It returns nil for one that begins anew,
// and for one whose model is still to be read from a file.
func (e *Earlier) Runs() []string {
	if e == nil || e.Spec == "" {
		return nil
	}
	return append([]string{e.Spec}, e.Before...)
}

// mostEarlier is the largest number of parameters that a spec lists, largestEarlier the largest size of one, and mostBefore the
// largest number of runs before the earlier one.
const mostEarlier, largestEarlier, mostBefore = 100_000, 1e9, 100

// checkEarlier allows an earlier model where every accountant's losses hold for any public start.
func (s *Spec) checkEarlier() error {
	e, m := s.Model.Earlier, &s.Model
	switch {
	case e == nil:
		return nil
	case m.is(external):
		return invalid("model.earlier: an external model begins with the numbers that its program gives", "have the program load the earlier model, and name its numbers with model.initial")
	case !s.Kind().AnyStart:
		return invalid(fmt.Sprintf("model.earlier: kind %s begins with its model's usual numbers, and its losses were not checked for others", s.Algorithm.Kind),
			"use kind: gossip-gd or gossip-sgd, whose losses were checked to hold for any start")
	case e.File != "" && (e.Spec != "" || e.Before != nil || e.Parameters != nil):
		return invalid("model.earlier: a file, and what the file says", "give file, or spec and parameters")
	case e.File != "" && s.Federated():
		return invalid(fmt.Sprintf("model.earlier.file: %s, which participants might have different copies of", e.File),
			"hearsay federation new FOLDER --as NAME --from SPEC --earlier MODEL.json writes its numbers into the terms")
	case e.File != "":
		return nil
	}
	return e.Check()
}

// Check returns an error if the hashes or the numbers of e are not those of an earlier model.
func (e *Earlier) Check() error {
	switch {
	case !digest.MatchString(e.Spec):
		return invalid(fmt.Sprintf("model.earlier.spec: %q is no hash", e.Spec), "give file: MODEL.json, or sha256:HEX of 64 digits, which the earlier model.json calls spec")
	case len(e.Before) > mostBefore:
		return invalid(fmt.Sprintf("model.earlier.before: %d runs", len(e.Before)), fmt.Sprintf("begin anew after %d runs that go on with each other’s models", mostBefore))
	case len(e.Parameters) == 0 || len(e.Parameters) > mostEarlier:
		return invalid(fmt.Sprintf("model.earlier.parameters: %d numbers", len(e.Parameters)), fmt.Sprintf("give the numbers of the model, 1 to %d", mostEarlier))
	}
	for _, hash := range e.Before {
		if !digest.MatchString(hash) {
			return invalid(fmt.Sprintf("model.earlier.before: %q is no hash", hash), "give sha256:HEX of 64 digits, as the earlier model.json lists under begins_with")
		}
	}
	for i, x := range e.Parameters {
		if !(math.Abs(x) <= largestEarlier) {
			return invalid(fmt.Sprintf("model.earlier.parameters: number %d is %g", i+1, x), fmt.Sprintf("give the numbers of a trained model, from %g to %g", -largestEarlier, largestEarlier))
		}
	}
	return nil
}
