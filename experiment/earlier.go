package experiment

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/spec"
	"github.com/hearsay-dp/hearsay/trained"
)

// EarlierFile returns the path of the model file that a spec begins with, or "" if it names none.
func EarlierFile(s *spec.Spec) string {
	switch e := s.Model.Earlier; {
	case e == nil || e.File == "":
		return ""
	case filepath.IsAbs(e.File):
		return e.File
	default:
		return filepath.Join(s.Dir, e.File)
	}
}

// begin replaces a file that the spec begins with by its numbers, and checks the number of parameters.
func begin(h *family.Holdings) error {
	if path := EarlierFile(h.Spec); path != "" {
		e, _, err := OpenEarlier(path, h)
		if err != nil {
			return err
		}
		h.Spec.Model.Earlier = e
	}
	e, want := h.Spec.Model.Earlier, h.Objective.Params(h.Federation.Shards.Features)
	if e != nil && len(e.Parameters) != want {
		return fault.New(fmt.Sprintf("model.earlier: %d parameters, and the model of this spec has %d", len(e.Parameters), want), "give a model of the same kind for the same columns")
	}
	return nil
}

// OpenEarlier reads the model file at path for a run on h to begin with, of several trials the first. It refuses a model that the
// earlier run's losses do not let everybody see, and one whose parameters mean something else than those of h. simulated says that
// the noise of the earlier run came from a seed.
func OpenEarlier(path string, h *family.Holdings) (e *spec.Earlier, simulated bool, err error) {
	m, err := trained.Open(path, 0)
	if err != nil {
		return nil, false, err
	}
	name, f := filepath.Base(path), m.File
	if f.Incomplete() || f.Home != nil {
		return nil, false, fault.New(fmt.Sprintf("model.earlier: %s is not the final model of a run: %s", name, f.Notice), "give the model.json of a run that has ended, without a step at home")
	}
	if c := f.Claim; !f.Charged || c.Status != report.Sound && c.Status != report.SoundIf || !c.Epsilon.Finite() {
		return nil, false, fault.New(fmt.Sprintf("model.earlier: %s is not charged soundly as seen by everybody: charged %t, %s, epsilon %s", name, f.Charged, c.Status, report.Loss(float64(c.Epsilon), c.Status)),
			"run the earlier spec with release: final and flow, or with an accountant of all messages (local, pairwise): its model may then be shown")
	}
	ours, theirs := (&Prepared{Holdings: h}).Recipe(), f.Recipe
	for _, part := range []struct {
		what string
		same bool
	}{
		{"kind", ours.Kind == theirs.Kind && ours.Task == theirs.Task && ours.WithIntercept == theirs.WithIntercept},
		{"layers", slices.Equal(ours.Hidden, theirs.Hidden) && slices.Equal(ours.Maps, theirs.Maps) && ours.Kernel == theirs.Kernel && slices.Equal(ours.Shape, theirs.Shape)},
		{"classes", slices.Equal(ours.Classes, theirs.Classes) && ours.Target == theirs.Target},
		{"columns", slices.Equal(ours.Features, theirs.Features)},
		{"preprocessing", slices.Equal(ours.Preprocessing, theirs.Preprocessing) && reflect.DeepEqual(ours.Label, theirs.Label)},
	} {
		if !part.same {
			return nil, false, fault.New(fmt.Sprintf("model.earlier: %s differs in %s from the model of this spec, so that its numbers mean something else", name, part.what),
				"keep model, data.target, data.classes and how columns are scaled (public data.ranges) as the earlier run had them")
		}
	}
	e = &spec.Earlier{Spec: f.Spec, Before: f.Begins, Parameters: m.Theta}
	return e, f.Claim.Simulated, e.Check()
}
