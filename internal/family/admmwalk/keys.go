package admmwalk

import (
	"cmp"
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/family/walkfamily"
	"github.com/hearsay-dp/hearsay/spec"
)

// Keys holds the keys of a spec's algorithm that only this family has.
type Keys struct {
	Gamma     float64             `yaml:"gamma,omitempty"`     // of the proximal operators; 0: from the losses' smoothness
	Lambda    float64             `yaml:"lambda,omitempty"`    // relaxation: fraction of the way of a variable to its reflection; 1/2: Douglas and Rachford
	Tolerance float64             `yaml:"tolerance,omitempty"` // largest error of proximal points, over gamma times clip; 0: set from the run
	Route     string              `yaml:"route"`               // public | secret: whether the token's path, and who skips, follow from the spec's seed
	Skip      float64             `yaml:"skip,omitempty"`      // probability that a holder takes no part in a turn
	Latency   *walkfamily.Latency `yaml:"latency,omitempty"`   // of a simulated network; nil: time is not simulated
}

// Walk implements walk.Walker.
func (k *Keys) Walk() walkfamily.Keys { return walkfamily.Keys{Skip: k.Skip, Latency: k.Latency} }

// Step returns the keys of the updates.
func (k *Keys) Step() Step { return Step{k.Gamma, k.Lambda, k.Tolerance} }

// own returns the keys of a spec of this family.
func own(s *spec.Spec) *Keys { return s.Algorithm.Own.(*Keys) }

// Keys implements spec.Rules.
func (Family) Keys() any { return &Keys{Lambda: 0.5, Route: public} }

// The route is public if participants know it beforehand.
const public, secret = "public", "secret"

// Check implements spec.Rules.
func (Family) Check(s *spec.Spec) error {
	k, a := own(s), &s.Algorithm
	walks := k.Walk()
	switch {
	case a.StepSize != spec.StepSize{}:
		return fault.New("algorithm.step_size: an update of ADMM has none", "give gamma, the parameter of the proximal operators, or leave both out")
	case a.Steps == 0:
		return fault.New("algorithm.steps: is missing", "give the number of updates of all nodes together, such as 20 times the number of nodes")
	case a.Radius > 0:
		return fault.New("algorithm.radius: ADMM projects on nothing", "use model.regulariser: {kind: box, low: -1, high: 1}, or leave it out")
	}
	a.Fill = false // the clip is the Lipschitz constant of the objective: a proximal step allows no larger one
	return cmp.Or(walks.Check(), k.Step().Check(), spec.OneOf("algorithm.route", k.Route, public, secret))
}

// CheckReal implements spec.Rules. It refuses to replace a lost token by a copy of an older one, which is no longer the mean of
// the variables. Nodes that updated in between keep the part that the mean has lost. The objective would then have an extra
// linear term for good.
func (Family) CheckReal(s *spec.Spec) error {
	if s.FollowsFailures() {
		return fault.New(fmt.Sprintf("federation.unreachable: %s with a lease of %v, but a token that is replaced by an older copy is the mean of nobody's variables",
			s.Federation.Unreachable, s.Federation.Lease),
			"use unreachable: wait without a lease: the token waits for whoever is off; or kind: proximal-walk, whose nodes keep nothing")
	}
	if lambda := own(s).Lambda; lambda > 0.5 {
		return fault.New(fmt.Sprintf("algorithm.lambda: above 1/2, as %g is, nothing bounds how far a token can go, and the grid of real noise has an end", lambda),
			"use lambda: 0.5")
	}
	return walkfamily.Family{}.CheckReal(s)
}

// OnlyLocal implements spec.Rules.
func (Family) OnlyLocal(*spec.Spec) string { return "" }

// uses says how each accountant uses each key.
var uses = walkfamily.Family{}.Uses().But(map[string][]family.Use{
	"combine":   nil,
	"steps":     {family.Priced, family.Free, family.Free}, // contributions are counted
	"step_size": family.All(3, family.Absent),              // an update has none
	"gamma":     {family.Priced, family.Free, family.Free}, // sigma is in units of the sensitivity, which gamma and lambda scale as they scale the noise
	"lambda":    {family.Priced, family.Free, family.Free},
	"tolerance": {family.Priced, family.Free, family.Free}, // participant: steps are along clipped gradients at any error of the point; record: the clip leaves room
	"fill":      family.All(3, family.Absent),
	"tokens":    family.All(3, family.Needed), // one: nodes have one variable each
	"route":     {family.Needed, family.Free, family.Needed},
	"radius":    family.All(3, family.Absent),
	"sender":    {family.Free, family.Free, family.Needed},
	"condition": family.All(3, family.Free),
	"limits":    family.All(3, family.Absent),
	"coalition": family.All(3, family.Free), // refused by path: local holds towards any number
})

// Uses implements family.Family.
func (Family) Uses() family.Uses { return uses }
