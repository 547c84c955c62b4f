package spec

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// A Regulariser is a convex function of all parameters, the intercept included. It is
// minimised with the loss by its proximal operator and depends on no data.
type Regulariser struct {
	Kind   string   `yaml:"kind"`             // l1 | l2 | box | simplex | none
	Weight float64  `yaml:"weight,omitempty"` // l1, l2
	Low    *float64 `yaml:"low,omitempty"`    // box: the ends of its range
	High   *float64 `yaml:"high,omitempty"`
	Total  *float64 `yaml:"total,omitempty"` // simplex: the sum of the parameters
}

func (r *Regulariser) is(kind string) bool { return r.Kind == kind }

// checkRegulariser takes none where the kind cannot have one, and fills in defaults.
func (s *Spec) checkRegulariser() error {
	r, kind := s.Model.Regulariser, s.Kind()
	if r == nil {
		return nil
	}
	if err := OneOf("model.regulariser.kind", r.Kind, "l1", "l2", "box", "simplex", "none"); err != nil {
		return err
	}
	if err := r.checkKeys(); err != nil {
		return err
	}
	if r.is("none") {
		s.Model.Regulariser = nil
		return nil
	}
	if kind != nil && !kind.Regularises {
		hint := "leave it out; model.l2 is a penalty that every kind has"
		if those := s.kinds.which(func(k Kind) bool { return k.Regularises }); len(those) > 0 {
			hint += ". Regularisers are for kind: " + either(those)
		}
		return invalid(fmt.Sprintf("model.regulariser: %s takes steps along gradients only, and %s needs a proximal step", s.Algorithm.Kind, r.Kind), hint)
	}
	return r.checkValues()
}

// checkKeys refuses keys of another regulariser.
func (r *Regulariser) checkKeys() error {
	for _, key := range []struct {
		name  string
		given bool
		kinds []string
	}{
		{"weight", r.Weight != 0, []string{"l1", "l2"}}, {"low", r.Low != nil, []string{"box"}},
		{"high", r.High != nil, []string{"box"}}, {"total", r.Total != nil, []string{"simplex"}},
	} {
		if key.given && OneOf("", r.Kind, key.kinds...) != nil {
			return invalid(fmt.Sprintf("model.regulariser.%s: %s has none", key.name, r.Kind), "leave it out, or use kind: "+either(key.kinds))
		}
	}
	return nil
}

// checkValues checks the keys of the regulariser's kind and fills in the total of a simplex, 1.
func (r *Regulariser) checkValues() error {
	switch r.Kind {
	case "l1", "l2":
		return CheckAll(Number{Key: "model.regulariser.weight", Value: r.Weight, Low: 0, High: largestRegulariser, Open: true})
	case "simplex":
		if r.Total == nil {
			one := 1.0
			r.Total = &one
		}
		return CheckAll(Number{Key: "model.regulariser.total", Value: *r.Total, Low: 0, High: largestRegulariser, Open: true})
	}
	if r.Low == nil || r.High == nil || !(*r.Low <= *r.High) || math.Max(math.Abs(*r.Low), math.Abs(*r.High)) > largestRegulariser {
		return invalid("model.regulariser: a box needs low and high, low <= high", "give regulariser: {kind: box, low: -1, high: 1}")
	}
	return nil
}

// largestRegulariser is far beyond any use.
const largestRegulariser = 1e100
