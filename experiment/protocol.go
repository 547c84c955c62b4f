package experiment

import (
	"fmt"
	"math"
	"strings"

	"hearsay/algo/descent"
	"hearsay/algo/walk"
	"hearsay/internal/fault"
	"hearsay/model"
	"hearsay/noise"
	"hearsay/spec"
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

// protocol is what all nodes agree on, but for the noise multiplier and the
// starting node.
func (s *Setup) protocol() (*walk.Protocol, error) {
	a := s.Spec.Algorithm
	p := &walk.Protocol{Local: s.local(), Nodes: s.Spec.Nodes, Steps: a.Steps, BurnIn: a.BurnIn, Cap: a.Contributions}
	if a.Kind == "local" {
		p.After = walk.Forward
	}
	return p, s.checkStart(a.Start)
}

// local is the step that a node takes on its own data, but for the noise
// multiplier.
func (s *Setup) local() descent.Local {
	a := s.Spec.Algorithm
	return descent.Local{
		Params: s.Objective.Params(s.Federation.Shards.Features), Objective: s.Objective,
		Noise:    noise.Gaussian{Clip: min(a.Clip, s.Guarantees.Lipschitz)},
		StepSize: descent.StepSize{Base: a.StepSize.Base, Power: a.StepSize.Power},
		Radius:   a.Radius, Fill: a.Fill,
	}
}

func (s *Setup) checkStart(start spec.Start) error {
	if !start.Uniform && start.Node >= s.Spec.Nodes {
		return fault.New(fmt.Sprintf("algorithm.start: there is no node %d among %d", start.Node, s.Spec.Nodes),
			"number nodes from 0, or use start: uniform")
	}
	return nil
}

// checkStepSize refuses steps that would push two models apart: beyond 2/beta
// a gradient step is expansive and no amplification theorem holds.
func (s *Setup) checkStepSize() error {
	beta, gamma := s.Guarantees.Smoothness, s.Protocol.StepSize.Largest()
	if math.IsInf(beta, 1) || gamma <= 2/beta {
		return nil
	}
	return fault.New(fmt.Sprintf("algorithm.step_size: %g is above 2/beta = %.4g, the largest that keeps a step of this %s model (beta = %.4g) non-expansive",
		gamma, 2/beta, s.Objective.Name(), beta), fmt.Sprintf("use a step size of at most %.4g", 2/beta))
}

// conditions are the public bounds that 002 Theorem 7.6 takes: the gradient
// at the optimum is at most the clipping norm, and a mu-strongly convex
// objective with gradients at most C moves its optimum at most C/mu from 0.
// They are those of unscaled gradients (fill: false) and of a run in which no
// node reaches its cap.
func (s *Setup) conditions(multiplier float64) walk.Conditions {
	clip, mu := s.Protocol.Noise.Clip, s.strongConvexity()
	std := multiplier * 2 * clip
	distance := clip / mu
	if r := s.Spec.Algorithm.Radius; r > 0 {
		distance = min(distance, r)
	}
	return walk.Conditions{
		Steps: s.Spec.Algorithm.Steps, StrongConvex: mu, Smoothness: s.Guarantees.Smoothness,
		Mixing: s.Mixing, Gradient: clip, Distance: distance, NoiseEnergy: float64(s.Protocol.Params) * std * std,
	}
}

// strongConvexity is what clipping leaves of the objective's: all of it where
// no gradient is ever clipped, else that of the penalty alone.
func (s *Setup) strongConvexity() float64 {
	if s.largestGradient() <= s.Protocol.Noise.Clip {
		return s.Guarantees.StrongConvex
	}
	return s.Spec.Model.L2
}

// largestGradient bounds the gradient of an example for all parameters that
// the projection allows.
func (s *Setup) largestGradient() float64 {
	if r := s.Protocol.Radius; r > 0 && s.Objective.Name() == (model.Mean{}).Name() {
		return 2 * (r + s.Federation.Bound)
	}
	return s.Guarantees.Lipschitz
}

// noPromise says why 002 Theorem 7.6 says nothing about this run, "" if it does.
func (s *Setup) noPromise() string {
	switch {
	case s.strongConvexity() == 0:
		return "Theorem 2 needs an objective that clipping leaves strongly convex"
	case s.Mixing == 0:
		return "no bound on the mixing time is known for this graph"
	case !(s.conditions(0).TheoryStep() > 0):
		return fmt.Sprintf("Theorem 2 says nothing about as few as %d steps at mixing time %.3g", s.Spec.Algorithm.Steps, s.Mixing)
	}
	return ""
}

// theoryStep sets the step size of 002 Theorem 7.6.
func (s *Setup) theoryStep() error {
	if why := s.noPromise(); why != "" {
		return fault.New("algorithm.step_size: theory gives none: "+why,
			"set model.l2 above 0 (for mean: a radius, and a clip that never binds in it), take more steps, or give a number")
	}
	s.Protocol.StepSize = descent.StepSize{Base: s.conditions(0).TheoryStep()}
	return nil
}

// setMaxScale bounds what fill may multiply gradients by: the theorem's step
// size is for gradients as they are, any other for steps up to 2/beta.
func (s *Setup) setMaxScale() {
	s.Protocol.MaxScale = 1
	if !s.Spec.Algorithm.StepSize.Theory {
		s.Protocol.MaxScale = (2/s.Protocol.StepSize.Largest() - s.Spec.Model.L2) / s.Objective.Model.Guarantees(s.Federation.Bound).Smoothness
	}
}
