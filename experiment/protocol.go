package experiment

import (
	"fmt"
	"math"

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
			fmt.Sprintf("use one of %v", model.Kinds()))
	}
	return model.Objective{Model: made, L2: m.L2}, nil
}

// protocol is what all nodes agree on, but for the noise multiplier and the
// starting node.
func (s *Setup) protocol() (*walk.Protocol, error) {
	a := s.Spec.Algorithm
	p := &walk.Protocol{
		Nodes: s.Spec.Nodes, Params: s.Objective.Params(s.Federation.Shards.Features), Objective: s.Objective,
		Noise:  noise.Gaussian{Clip: min(a.Clip, s.Guarantees.Lipschitz)},
		Radius: a.Radius, Steps: a.Steps, BurnIn: a.BurnIn, Cap: a.Contributions, Fill: a.Fill,
	}
	if a.Kind == "local" {
		p.After = walk.Forward
	}
	p.StepSize = walk.StepSize{Base: a.StepSize.Base, Power: a.StepSize.Power}
	return p, s.checkStart(a.Start)
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
func (s *Setup) conditions(multiplier float64) walk.Conditions {
	clip, mu := s.Protocol.Noise.Clip, s.Guarantees.StrongConvex
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

// theoryStep sets the step size of 002 Theorem 7.6.
func (s *Setup) theoryStep() error {
	gamma := s.conditions(0).TheoryStep()
	if !(gamma > 0) {
		return fault.New(fmt.Sprintf("algorithm.step_size: 002 Theorem 7.6 gives no step size for %d steps at mixing time %.3g", s.Spec.Algorithm.Steps, s.Mixing),
			"take more steps, a larger model.l2, or give a number")
	}
	s.Protocol.StepSize = walk.StepSize{Base: gamma}
	return nil
}
