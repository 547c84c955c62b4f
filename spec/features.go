package spec

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/scatter"
)

// Features holds either the number of features of a row, for a source that asks for it, or the steps that turn rows as they are
// read into rows of a model.
type Features struct {
	Count int
	Steps []scatter.Step
}

// UnmarshalYAML takes a number or a list of steps.
func (f *Features) UnmarshalYAML(unmarshal func(any) error) error {
	var given any
	if err := unmarshal(&given); err != nil {
		return err
	}
	*f = Features{}
	if _, list := given.([]any); !list {
		return unmarshal(&f.Count)
	}
	if err := unmarshal(&f.Steps); err != nil {
		return err
	}
	if err := scatter.CheckSteps(f.Steps); err != nil {
		return fault.Wrap(err, "data.features", fault.Hint(err))
	}
	return nil
}

// MarshalYAML writes the steps, or the count if there are none, in the form that UnmarshalYAML reads.
func (f Features) MarshalYAML() (any, error) {
	if f.Steps != nil {
		return f.Steps, nil
	}
	return f.Count, nil
}

// Encoding returns how rows of that many numbers are encoded. It returns nil if they are not encoded.
func (s *Spec) Encoding(columns int) *scatter.Encoding {
	if s.Data.Features.Steps == nil {
		return nil
	}
	return &scatter.Encoding{Shape: s.Data.picture(columns), Seed: s.Seed, Steps: s.Data.Features.Steps}
}

// checkFeatures refuses encoding steps for models that learn about columns (mean, histogram) or that read no rows (external).
func (s *Spec) checkFeatures() error {
	switch d := &s.Data; {
	case d.Features.Steps == nil:
		return nil
	case s.Model.is("mean") || s.Model.is("histogram") || s.Model.is("external"):
		return invalid(fmt.Sprintf("data.features: steps are of a model of rows, not of kind: %s", s.Model.Kind), "leave them out, or use model.kind: multinomial")
	}
	return nil
}
