package admmfamily

import (
	"cmp"
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/family/admmwalk"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/spec"
)

// Family implements ADMM in rounds, with a curator and federated.
type Family struct{}

// The kinds are 002 Algorithms 8.2 and 8.3.
const central, federated = "admm-central", "admm-federated"

// These are the names of accountants.
const local, published = report.LocalAccountant, string(report.Published)

// Keys holds the keys of a spec's algorithm that only ADMM in rounds has.
type Keys struct {
	Gamma     float64    `yaml:"gamma,omitempty"`      // of the proximal operators; 0: from the losses' smoothness
	Lambda    float64    `yaml:"lambda,omitempty"`     // relaxation: fraction of the way of a variable to its reflection; 1/2: Douglas and Rachford
	Tolerance float64    `yaml:"tolerance,omitempty"`  // largest error of proximal points, over gamma times clip; 0: set from the run
	Sampled   int        `yaml:"sampled,omitempty"`    // nodes drawn in a round; 0: all
	Server    spec.Start `yaml:"server,omitempty"`     // federated: the node that sums, by number or name
	SecureSum bool       `yaml:"secure_sum,omitempty"` // federated: the server learns sums of changes only, by a protocol that is not simulated
}

// KeysOf returns the keys of a spec of this family.
func KeysOf(s *spec.Spec) *Keys { return s.Algorithm.Own.(*Keys) }

// step returns the keys of the updates.
func (k *Keys) step() admmwalk.Step {
	return admmwalk.Step{Gamma: k.Gamma, Lambda: k.Lambda, Tolerance: k.Tolerance}
}

// Kinds implements family.Family.
func (f Family) Kinds() []spec.Kind {
	return []spec.Kind{{
		Name: central, Family: f, Graphless: true, OwnRoute: true, SetsSteps: true, Regularises: true, Accountants: []string{published, local, means},
		Simulated: "has a curator who holds all data, which " + federated + " has not",
		Story: "a curator holds the rows of all and keeps a noisy variable for every node; round by round each is moved to where its rows and their mean balance, " +
			"and only the last mean is shown",
	}, {
		Name: federated, Family: f, Graphless: true, OwnRoute: true, SetsSteps: true, Regularises: true, Accountants: []string{published, local, means}, Real: local,
		Story: "every node keeps a variable of its own; round by round one of them shows some of the others the model, and adds up by what, noise included, " +
			"they change their variables to fit their own rows and it",
	}}
}

// Keys implements spec.Rules.
func (Family) Keys() any { return &Keys{Lambda: 0.5} }

// usualRounds is the number of rounds where a spec gives none.
const usualRounds = 20

// Check implements spec.Rules.
func (Family) Check(s *spec.Spec) error {
	k, a := KeysOf(s), &s.Algorithm
	if a.Steps == 0 {
		a.Steps = usualRounds
	}
	for _, wrong := range []struct {
		bad        bool
		what, hint string
	}{
		{a.StepSize != spec.StepSize{}, "algorithm.step_size: an update of ADMM has none", "give gamma, the parameter of the proximal operators, or leave both out"},
		{a.Average != "none", "algorithm.average: the last consensus is the result", "leave it out"},
		{a.Radius != 0, "algorithm.radius: ADMM projects on nothing", "use model.regulariser: {kind: box, low: -1, high: 1}, or leave it out"},
		{a.BurnIn != 0, "algorithm.burn_in: ADMM in rounds has none", "leave it out"},
		{!a.Start.Uniform, "algorithm.start: all nodes begin at once", "leave it out; who sums is algorithm.server"},
		{k.Server.Uniform || k.Server.Each != nil, "algorithm.server: one node sums, and all know which", "give its number or name"},
		{a.Kind == central && (k.Server.Node != 0 || k.Server.Name != ""), "algorithm.server: a curator has all data, and nobody sums for it", "leave it out, or use kind: " + federated},
		{a.Kind == central && k.SecureSum, "algorithm.secure_sum: a curator sees everything", "leave it out, or use kind: " + federated},
	} {
		if wrong.bad {
			return fault.New(wrong.what, wrong.hint)
		}
	}
	a.Fill = false // the clip is the Lipschitz constant of the objective: a proximal point allows no larger one
	if s.Privacy.Accountant == "" && k.Sampled != 0 && !k.SecureSum && a.Kind == federated && len(s.Participants) == 0 {
		s.Privacy.Accountant = local // because plans are slow, and the worst pair is that of the server
	}
	s.Privacy.Release = "final" // the last consensus is shown to everybody
	return cmp.Or(k.step().Check(), spec.CheckAll(
		spec.Number{Key: "algorithm.steps", Value: float64(a.Steps), Low: 1, High: 1e6},
		spec.Number{Key: "algorithm.sampled", Value: float64(k.Sampled), Low: 0, High: math.MaxInt32},
		spec.Number{Key: "algorithm.server", Value: float64(k.Server.Node), Low: 0, High: math.MaxInt32},
	))
}

// CheckReal implements spec.Rules.
func (Family) CheckReal(s *spec.Spec) error {
	switch k := KeysOf(s); {
	case k.SecureSum:
		return fault.New("algorithm.secure_sum: true, but real nodes show their changes to the one who sums, each with its noise",
			"leave it out: the local loss holds towards it")
	case k.Lambda > 0.5:
		return fault.New(fmt.Sprintf("algorithm.lambda: above 1/2, as %g is, nothing bounds how far variables can go, and the grid of real noise has an end", k.Lambda),
			"use lambda: 0.5")
	case s.FollowsFailures():
		return fault.New(fmt.Sprintf("federation.unreachable: %s with a lease of %v, but the one who sums waits for all that it has drawn",
			s.Federation.Unreachable, s.Federation.Lease), "use unreachable: wait, without a lease")
	}
	return nil
}

// OnlyLocal implements spec.Rules.
func (Family) OnlyLocal(s *spec.Spec) string {
	if k, a := KeysOf(s), s.Algorithm; k.Sampled != 0 && k.Sampled < len(s.Participants) || a.Contributions != 0 && a.Contributions < a.Steps {
		return "what the grid of real noise adds to what means show is worked out for rounds of all (no sampled, no contributions)"
	}
	return ""
}

// uses says how each accountant uses each key.
var uses = family.Uses{
	Columns: []string{local, published, means},
	Rows: map[string][]family.Use{
		"kind":          family.All(3, family.Priced),
		"steps":         family.All(3, family.Priced),
		"step_size":     family.All(3, family.Absent),
		"gamma":         {family.Free, family.Free, family.Priced}, // sigma is in units of the sensitivity, which gamma and lambda scale as they scale the noise
		"lambda":        {family.Free, family.Free, family.Priced},
		"tolerance":     {family.Free, family.Free, family.Priced}, // participant: changes follow clipped gradients at any error of the point; record: the clip leaves room
		"sampled":       {family.Free, family.Priced, family.Priced},
		"server":        {family.Free, family.Free, family.Priced}, // the local loss is towards everybody; in print, towards an observer of the model alone
		"secure_sum":    {family.Free, family.Priced, family.Priced},
		"clip":          family.All(3, family.Free),
		"average":       family.All(3, family.Absent),
		"fill":          family.All(3, family.Absent),
		"weigh_rows":    family.All(3, family.Free),   // a weight of at most 1 on clipped gradients
		"local_steps":   family.All(3, family.Needed), // refused
		"clip_each":     family.All(3, family.Needed), // mean: refused
		"contributions": {family.Priced, family.Claimed, family.Priced},
		"tokens":        family.All(3, family.Absent),
		"burn_in":       family.All(3, family.Absent),
		"momentum":      family.All(3, family.Needed), // refused: momentum is a hidden state
		"radius":        family.All(3, family.Absent),
		"start":         family.All(3, family.Absent),
		"unit":          {family.Priced, family.Needed, family.Priced}, // the papers' are about participants
		"record_name":   family.All(3, family.Free),
		"sigma":         family.All(3, family.Priced),
		"calibrate":     family.All(3, family.Priced),
		"accountant":    family.All(3, family.Priced),
		"metric":        family.All(3, family.Priced),
		"release":       family.All(3, family.Absent), // the last consensus is always shown
		"sender":        family.All(3, family.Free),
		"condition":     family.All(3, family.Free),
		"conversion":    {family.Free, family.Priced, family.Free},
		"limits":        family.All(3, family.Absent),
		"coalition":     family.All(3, family.Free),
	},
}

// Uses implements family.Family.
func (Family) Uses() family.Uses { return uses }
