// Package fixedpointfamily implements noisy fixed-point iterations by a trusted curator (002, Algorithm 8.1): DP-SGD, DP
// proximal SGD and DP coordinate descent.
package fixedpointfamily

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/spec"
)

// Family implements the kind fixed-point.
type Family struct{}

const name, tight = "fixed-point", "tight"

// Keys holds the keys of a spec's algorithm that only this family has.
type Keys struct {
	Instance    string  `yaml:"instance,omitempty"`    // sgd | proximal-sgd | coordinate-descent
	Blocks      int     `yaml:"blocks,omitempty"`      // number of parts of the parameters that are updated separately; 0: one for each parameter
	Activation  string  `yaml:"activation,omitempty"`  // all | uniform | random | cyclic: the blocks that a step updates
	Probability float64 `yaml:"probability,omitempty"` // random: the probability of each block
	Lambda      float64 `yaml:"lambda,omitempty"`      // relaxation, in (0, 1]
	Draw        int     `yaml:"draw,omitempty"`        // nodes that a step draws; 0: the number of the instance
}

// These are the instances and activations.
const (
	sgd, proximal, coordinate    = "sgd", "proximal-sgd", "coordinate-descent"
	all, uniform, random, cyclic = "all", "uniform", "random", "cyclic"
)

// Kinds implements family.Family.
func (f Family) Kinds() []spec.Kind {
	return []spec.Kind{{
		Name: name, Family: f, Graphless: true, Regularises: true, Accountants: []string{tight}, Simulated: "has one who sees all rows, which no participant does",
		Story: "one trusted place sees all rows, and takes noisy steps of an operator towards its fixed point",
	}}
}

// Keys implements spec.Rules.
func (Family) Keys() any { return &Keys{Lambda: 1} }

// OnlyLocal implements spec.Rules.
func (Family) OnlyLocal(*spec.Spec) string { return "" }

// CheckReal implements spec.Rules.
func (Family) CheckReal(*spec.Spec) error { return nil }

// Check implements spec.Rules.
func (Family) Check(s *spec.Spec) error {
	k := s.Algorithm.Own.(*Keys)
	if err := k.checkInstance(s); err != nil {
		return err
	}
	if err := k.checkActivation(); err != nil {
		return err
	}
	if k.Blocks != 1 {
		s.Algorithm.Fill = false // because a node's scale would be that of its whole gradient
	}
	if err := checkCommon(&s.Algorithm); err != nil {
		return err
	}
	return spec.CheckAll(
		spec.Number{Key: "algorithm.blocks", Value: float64(k.Blocks), Low: 0, High: math.MaxInt32},
		spec.Number{Key: "algorithm.lambda", Value: k.Lambda, Low: 0, High: 1, Open: true},
		spec.Number{Key: "algorithm.draw", Value: float64(k.Draw), Low: 0, High: math.MaxInt32},
	)
}

// checkInstance sets the default instance, and refuses an instance that does not fit the spec's objective.
func (k *Keys) checkInstance(s *spec.Spec) error {
	r := s.Model.Regulariser
	if k.Instance == "" {
		k.Instance = sgd
		if r != nil {
			k.Instance = proximal
		}
	}
	if err := spec.OneOf("algorithm.instance", k.Instance, sgd, proximal, coordinate); err != nil {
		return err
	}
	switch {
	case k.is(sgd) && r != nil:
		return fault.New(fmt.Sprintf("model.regulariser: %s, which sgd takes no proximal step of", r.Kind), "leave it out, or use instance: proximal-sgd")
	case k.is(proximal) && r == nil:
		return fault.New("algorithm.instance: proximal-sgd has no regulariser to take proximal steps of",
			"give model.regulariser, such as {kind: l1, weight: 0.01}, or use instance: sgd")
	case k.Blocks == 0 && !k.is(coordinate):
		k.Blocks = 1
	}
	return nil
}

func (k *Keys) is(instance string) bool { return k.Instance == instance }

// checkActivation sets the default activation, and refuses a probability that does not fit it.
func (k *Keys) checkActivation() error {
	if k.Activation == "" {
		k.Activation = uniform
		if k.Blocks == 1 {
			k.Activation = all
		}
	}
	if err := spec.OneOf("algorithm.activation", k.Activation, all, uniform, random, cyclic); err != nil {
		return err
	}
	switch {
	case k.Activation != random && k.Probability != 0:
		return fault.New(fmt.Sprintf("algorithm.probability: %g, but activation: %s has none", k.Probability, k.Activation), "leave it out, or use activation: random")
	case k.Activation == random:
		return spec.CheckAll(spec.Number{Key: "algorithm.probability", Value: k.Probability, Low: 0, High: 1, Open: true})
	}
	return nil
}

// checkCommon refuses keys that a curator's iteration does not have.
func checkCommon(a *spec.Algorithm) error {
	switch {
	case a.StepSize.Theory:
		return fault.New("algorithm.step_size: the theorem behind step_size: theory is about walks", "give a number, at most 2/smoothness")
	case a.Contributions != 0:
		return fault.New(fmt.Sprintf("algorithm.contributions: %d, but a fixed-point iteration is priced for draws that do not depend on earlier ones, as a cap makes them",
			a.Contributions), "leave contributions out")
	case a.BurnIn != 0:
		return fault.New(fmt.Sprintf("algorithm.burn_in: %d, but there is no token that could go ahead", a.BurnIn), "leave burn_in out")
	case a.Radius != 0:
		return fault.New(fmt.Sprintf("algorithm.radius: %g is a projection after the noise, which is no part of the operator", a.Radius),
			"leave radius out, or give model.regulariser: {kind: box, low: -1, high: 1}")
	case !a.Start.Uniform:
		return fault.New("algorithm.start: no token starts anywhere, and the curator draws every node in secret", "leave start out")
	}
	return nil
}
