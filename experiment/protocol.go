package experiment

import (
	"fmt"
	"math"
	"strings"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/spec"
)

// objective makes the model of a spec.
func objective(m spec.Model) (model.Objective, error) {
	made, ok := model.New(m.Kind, m.Intercept)
	if !ok {
		return model.Objective{}, fault.New(fmt.Sprintf("model.kind: %q is not known", m.Kind),
			"use one of "+strings.Join(model.Kinds(), ", "))
	}
	return model.Objective{Model: made, L2: m.L2}, nil
}

// local is the step that a node takes on its own data, but for the noise
// multiplier.
func (s *Setup) local() descent.Local {
	a := s.Spec.Algorithm
	return descent.Local{
		Params: s.Objective.Params(s.Federation.Shards.Features), Objective: s.Objective,
		Noise:    noise.Gaussian{Clip: min(a.Clip, s.Guarantees.Lipschitz())},
		StepSize: descent.StepSize{Base: a.StepSize.Base, Power: a.StepSize.Power},
		Radius:   a.Radius, Fill: a.Fill, Rows: a.WeighRows,
	}
}

// checkStepSize refuses steps that would push two models apart: beyond 2/beta
// a gradient step is expansive and no amplification theorem holds.
func (s *Setup) checkStepSize() error {
	beta, gamma := s.Guarantees.Smoothness(), s.Local().StepSize.Largest()
	if math.IsInf(beta, 1) || gamma <= 2/beta {
		return nil
	}
	return fault.New(fmt.Sprintf("algorithm.step_size: %g is above 2/beta = %.4g, the largest that keeps a step of this %s model (beta = %.4g) non-expansive",
		gamma, 2/beta, s.Objective.Name(), beta), fmt.Sprintf("use a step size of at most %.4g", 2/beta))
}
