package weighted

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/family/walkfamily"
	"github.com/hearsay-dp/hearsay/spec"
)

// Keys holds the keys of algorithm that only a weighted walk has.
type Keys struct {
	Constants Constants `yaml:"constants,omitempty"`
}

// Walk implements walk.Walker. Several tokens are averaged.
func (*Keys) Walk() walkfamily.Keys { return walkfamily.Averaged() }

// Constants say how nodes show their constants, the smoothness of their losses. Visits are in proportion to these.
type Constants struct {
	Mechanism string  `yaml:"mechanism,omitempty"` // gamma | laplace | none
	Least     float64 `yaml:"least,omitempty"`     // public bounds, to which constants are clamped
	Most      float64 `yaml:"most,omitempty"`
	Scale     float64 `yaml:"scale,omitempty"`   // theta of the Gamma law, or the scale of the Laplace law
	Epsilon   float64 `yaml:"epsilon,omitempty"` // instead of scale: the loss of showing a constant, in the spec's metric
}

// These are the mechanisms.
const (
	gammaNoise   = "gamma"
	laplaceNoise = "laplace"
	noNoise      = "none"
)

// own returns the constants of a spec of this family.
func own(s *spec.Spec) *Constants { return &s.Algorithm.Own.(*Keys).Constants }

// Keys implements spec.Rules.
func (Family) Keys() any { return &Keys{Constants: Constants{Mechanism: gammaNoise}} }

// Check implements spec.Rules.
func (Family) Check(s *spec.Spec) error {
	c := own(s)
	if err := spec.OneOf("algorithm.constants.mechanism", c.Mechanism, gammaNoise, laplaceNoise, noNoise); err != nil {
		return err
	}
	quiet := s.Privacy.Sigma != nil && *s.Privacy.Sigma == 0
	switch {
	case s.Algorithm.StepSize.Theory:
		return fault.New("algorithm.step_size: the theorem behind theory is for nodes that weigh alike", "give a number, or {power: 0.75, base: 0.1}")
	case s.Records() && s.Algorithm.StepSize.Power == 0:
		return fault.New("privacy.unit: record, but how much a node's losses count is limited by how much all of its rows bend them, so that one record moves what the others count for",
			"use kind: walk, or step sizes that fall, of which that limit asks nothing, such as step_size: {power: 0.5, base: 0.1}")
	case s.Algorithm.WeighRows > 0:
		return fault.New("algorithm.weigh_rows: nodes of a weighted walk weigh what their constants say", "leave it out, or use kind: walk")
	}
	s.Algorithm.Fill = false // a node's factor is the importance weight of the walk
	if c.Mechanism == noNoise {
		if !quiet {
			return fault.New("algorithm.constants.mechanism: none shows every constant as it is, which no loss bounds",
				"use gamma or laplace, or privacy.sigma: 0 to run without protection")
		}
		return nil
	}
	if (c.Scale == 0) == (c.Epsilon == 0) {
		return fault.New("algorithm.constants: needs one of scale and epsilon", "give constants: {mechanism: laplace, epsilon: 1}, or a scale")
	}
	if c.Most != 0 && c.Least >= c.Most {
		return fault.New(fmt.Sprintf("algorithm.constants: from %g to %g is no range", c.Least, c.Most), "give least below most")
	}
	return spec.CheckAll(
		spec.Number{Key: "algorithm.constants.least", Value: c.Least, Low: 0, High: 1e100},
		spec.Number{Key: "algorithm.constants.most", Value: c.Most, Low: 0, High: 1e100},
		spec.Number{Key: "algorithm.constants.scale", Value: c.Scale, Low: 0, High: 1e100},
		spec.Number{Key: "algorithm.constants.epsilon", Value: c.Epsilon, Low: 0, High: 1e6},
	)
}

// CheckReal implements spec.Rules.
func (Family) CheckReal(s *spec.Spec) error {
	if own(s).Mechanism == noNoise {
		return fault.New("algorithm.constants.mechanism: none, but participants' constants follow from their data", "use gamma or laplace")
	}
	if s.Privacy.Accountant == "path" {
		return fault.New("privacy.accountant: path is a bound only if the constants that participants show would be the same with any other data",
			"use accountant: local, which charges all contributions as public")
	}
	return walkfamily.Family{}.CheckReal(s)
}

// OnlyLocal implements spec.Rules.
func (Family) OnlyLocal(*spec.Spec) string { return "" }

// Uses implements family.Family. It returns the uses of a walk, and the cost of constants. The law of the path follows from
// constants that were shown. The path accountant's numbers thus rest on an assertion that is not checked (privacy/walkpath,
// shownFirst).
func (Family) Uses() family.Uses {
	return walkfamily.Family{}.Uses().But(map[string][]family.Use{
		"combine": nil, "latency": nil, "skip": nil, // these belong to walks whose nodes weigh alike
		"constants": family.All(3, family.Priced),
	})
}
