package spec

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/scatter"
)

// Features are how many numbers a row has, of a source that asks for it, or the steps that make the rows of a model from rows as
// they are read.
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

// MarshalYAML writes what UnmarshalYAML reads.
func (f Features) MarshalYAML() (any, error) {
	if f.Steps != nil {
		return f.Steps, nil
	}
	return f.Count, nil
}

// Encoding returns how rows of so many numbers are encoded, nil where they are not.
func (s *Spec) Encoding(columns int) *scatter.Encoding {
	if s.Data.Features.Steps == nil {
		return nil
	}
	return &scatter.Encoding{Shape: s.Data.picture(columns), Seed: s.Seed, Steps: s.Data.Features.Steps}
}

// checkFeatures refuses steps where no row is read, or where what is learnt is about columns.
func (s *Spec) checkFeatures() error {
	switch d := &s.Data; {
	case d.Features.Steps == nil:
		return nil
	case s.Model.is("mean") || s.Model.is("histogram") || s.Model.is("external"):
		return invalid(fmt.Sprintf("data.features: steps are of a model of rows, not of kind: %s", s.Model.Kind), "leave them out, or use model.kind: multinomial")
	}
	return nil
}
