package walkfamily

import (
	"cmp"
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/report"
)

// uses says how each accountant of a walk uses each key. check enforces the entries Needed.
var uses = family.Uses{
	Columns: []string{"path", "local", "published"},
	Rows: map[string][]family.Use{
		"kind":          family.All(3, family.Priced),
		"steps":         {family.Priced, family.Free, family.Priced},
		"step_size":     {family.Needed, family.Free, family.Needed}, // constant and at most 2/beta: amplification by iteration
		"clip":          family.All(3, family.Free),                  // sigma is in units of the sensitivity, 2 clip
		"average":       {family.Claimed, family.Free, family.Claimed},
		"fill":          family.All(3, family.Free),   // the sensitivity stays 2 clip, the step below 2/beta
		"weigh_rows":    family.All(3, family.Free),   // a weight of at most 1 on clipped gradients
		"local_steps":   family.All(3, family.Needed), // refused, as clip_each: mean is
		"clip_each":     family.All(3, family.Needed), // mean: refused, because no bound on the expansion of its steps is known
		"contributions": family.All(3, family.Priced),
		"tokens":        {family.Priced, family.Free, family.Free}, // contributions are counted over all of them
		"combine":       family.All(3, family.Free),                // a function of tokens that are shown, or shown to nobody
		"latency":       family.All(3, family.Free),                // waiting times depend on no data
		"skip":          {family.Priced, family.Free, family.Free}, // never more contributions than the cap
		"burn_in":       {family.Priced, family.Free, family.Free},
		"momentum":      family.All(3, family.Needed), // refused: a hidden state
		"radius":        family.All(3, family.Free),   // a projection is non-expansive, and post-processing
		"start":         {family.Priced, family.Free, family.Free},
		"unit":          {family.Priced, family.Priced, family.Needed}, // the papers' are about participants
		"limits":        {family.Priced, family.Priced, family.Needed}, // published: nodes that all clip alike
		"record_name":   family.All(3, family.Free),
		"sigma":         family.All(3, family.Priced),
		"calibrate":     family.All(3, family.Priced),
		"accountant":    family.All(3, family.Priced),
		"metric":        family.All(3, family.Priced),
		"release":       {family.Priced, family.Free, family.Claimed},
		"sender":        {family.Free, family.Free, family.Priced},
		"condition":     {family.Free, family.Free, family.Priced},
		"conversion":    {family.Free, family.Free, family.Priced},
		"coalition":     family.All(3, family.Free), // besides all pairs, by the path accountant alone (spec)
	},
}

// Uses implements family.Family.
func (Family) Uses() family.Uses { return uses }

// check returns a function that refuses runs that the accountant's proof does not cover.
func (a *Algorithm) check(accountant string) func() error {
	return func() error {
		if err := a.CheckCap(); err != nil || uses.Of("step_size", accountant) != family.Needed {
			return err
		}
		if err := a.checkWeights(accountant); err != nil {
			return err
		}
		return a.checkNonExpansive()
	}
}

// checkWeights refuses a given matrix that the theorem of an accountant does not cover. The path accountant covers any walk
// that reaches all nodes, which graph.NewOwn checks. The local one only counts contributions.
func (a *Algorithm) checkWeights(accountant string) error {
	if accountant != "published" {
		return nil
	}
	return a.CheckPublished("privacy.accountant: published", "use privacy.accountant: path or local, which take any matrix")
}

// CheckPublished refuses a given matrix that 000 Theorem 3 does not cover. asked says how the accountant was asked for.
func (a *Algorithm) CheckPublished(asked, hint string) error {
	if a.Transition == nil || !a.Transition.Own() {
		return nil
	}
	return a.Transition.CheckSymmetric(asked+" (000 Theorem 3)", privacy.RowTolerance, hint)
}

// CheckCap refuses a run without a cap, which every accountant of a node's releases needs.
func (a *Algorithm) CheckCap() error {
	if a.Protocol.Cap > 0 {
		return nil
	}
	return fault.New("algorithm.contributions: without a cap nothing bounds what a node gives away",
		fmt.Sprintf("set contributions, such as %d (1.2 times the mean number of visits)", max(a.Protocol.AllTokens(), int(math.Ceil(1.2*float64(a.Protocol.Steps*a.Protocol.AllTokens())/float64(a.Protocol.Nodes))))))
}

// CheckAmplified refuses runs that do not meet the conditions of amplification by iteration, or that have no cap.
func (a *Algorithm) CheckAmplified() error { return cmp.Or(a.CheckCap(), a.checkNonExpansive()) }

// checkNonExpansive refuses runs that do not meet the conditions of amplification by iteration. It needs a convex and smooth
// loss whose clipped steps are non-expansive, and at least as much noise in every later turn.
func (a *Algorithm) checkNonExpansive() error {
	g := a.Guarantees
	switch {
	case !g.Convex():
		return fault.New(fmt.Sprintf("privacy.accountant: %s needs a convex loss, and that of %s is not", a.Spec.Privacy.Accountant, a.Objective.Name()),
			"use privacy.accountant: local, which needs none")
	case !g.ClipSafe() && (a.Protocol.Importance != nil || !g.Unclipped(a.Protocol.Noise.Clip)):
		hint := "use privacy.accountant: local"
		if least := g.Lipschitz() * (1 - 1e-14); a.Protocol.Importance == nil && !math.IsInf(least, 1) {
			hint += ", or a clip that never binds, of at least " + report.Upwards(least, 4)
		}
		return fault.New(fmt.Sprintf("privacy.accountant: %s needs a convex loss that stays so when clipped, and %s with a clip of %g does not",
			a.Spec.Privacy.Accountant, a.Objective.Name(), a.Protocol.Noise.Clip),
			hint)
	case a.Protocol.Proximal: // a proximal step is non-expansive for any convex loss
	case a.Protocol.Importance != nil && !math.IsInf(a.Objective.Guarantees(1).Smoothness(), 1): // each node keeps its loss smooth enough, by its own rows
	case g.Bend() < math.Inf(1) && math.IsInf(g.Smoothness(), 1):
		return fault.New(fmt.Sprintf("the %s accountant needs a smooth loss, and that of %s has a corner", a.Spec.Privacy.Accountant, a.Objective.Name()),
			"use algorithm.kind: proximal-walk, which needs none, or privacy.accountant: local")
	case math.IsInf(g.Smoothness(), 1):
		return fault.New(fmt.Sprintf("the %s accountant needs a smooth loss, but nothing bounds the features", a.Spec.Privacy.Accountant),
			"use data.normalise: unit, public data.ranges, or privacy.accountant: local")
	}
	if a.Protocol.StepSize.Power > 0 {
		return fault.New(fmt.Sprintf("the %s accountant needs a constant step size: with a decreasing one, later turns add less noise than it counts on",
			a.Spec.Privacy.Accountant),
			"give a number for algorithm.step_size, use privacy.accountant: local, or simulate paths: hearsay privacy walk --step-power")
	}
	return nil
}
