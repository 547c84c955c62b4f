// Package baseline implements algorithms without a graph: a trusted curator's DP-SGD and local DP-SGD. Both run as a walk that
// visits all nodes uniformly.
package baseline

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/family/walkfamily"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/spec"
)

// Family implements the baselines.
type Family struct{}

const local, central, tight = "local", "central", "tight"

// simulated is the reason why no participants run a baseline.
const simulated = "is a baseline of the simulator"

// Kinds implements family.Family.
func (f Family) Kinds() []spec.Kind {
	return []spec.Kind{
		{Name: local, Family: f, Graphless: true, Accountants: []string{"published", "local"}, Simulated: simulated,
			Story: "every node adds enough noise to its own messages to need nobody else's protection"},
		{Name: central, Family: f, Graphless: true, AnyStep: true, Accountants: []string{"published", tight}, Simulated: simulated,
			Story: "one trusted place sees all rows: a comparison, not a decentralized run"},
	}
}

// Keys implements spec.Rules.
func (Family) Keys() any { return nil }

// Check implements spec.Rules.
func (Family) Check(*spec.Spec) error { return nil }

// OnlyLocal implements spec.Rules.
func (Family) OnlyLocal(*spec.Spec) string { return "" }

// CheckReal implements spec.Rules.
func (Family) CheckReal(*spec.Spec) error { return nil }

// An Algorithm is a baseline.
type Algorithm struct{ *walkfamily.Algorithm }

// Prepare implements family.Family.
func (Family) Prepare(ctx context.Context, h family.Holdings) (family.Algorithm, error) {
	after := walk.NoiseOnly
	if h.Spec.Algorithm.Kind == local {
		after = walk.Forward
	}
	a, err := walkfamily.New(ctx, h, walk.Uniform(h.Spec.Nodes), after)
	if err != nil {
		return nil, err
	}
	if a.Protocol.Momentum > 0 {
		a.Protocol.Kernel = walk.NewHeavy // momentum is possible because one curator takes all steps
	}
	return Algorithm{a}, nil
}

// WithNoise implements family.Algorithm.
func (a Algorithm) WithNoise(multiplier float64) (family.Algorithm, error) {
	return Algorithm{a.Copied(multiplier, func(*spec.Spec) {})}, nil
}

// WithPrivacy implements family.Algorithm.
func (a Algorithm) WithPrivacy(p spec.Privacy) family.Algorithm {
	return Algorithm{a.Copied(a.Protocol.Noise.Multiplier, func(s *spec.Spec) { s.Privacy = p })}
}

// Accountants implements family.Algorithm. The baselines cost every pair the same. Each has the calibration of the papers and a
// tight, sound one, which always stands beside it.
func (a Algorithm) Accountants(m privacy.Metric) []family.Accountant {
	p, cap := &a.Spec.Privacy, a.Protocol.Cap
	if a.Spec.Algorithm.Kind == local {
		return []family.Accountant{
			family.AsPublished(p, m, a.CheckCap, func(eps float64) (privacy.Noise, error) { return privacy.LocalPublished(cap, eps, m.Delta) }),
			family.Local(&a.Holdings, cap, a.Protocol.Noise, m, a.CheckCap),
		}
	}
	curator := privacy.Central{Nodes: a.Protocol.Nodes, Steps: a.Protocol.Steps}
	if a.Spec.Records() {
		shown := family.TowardsAll{Name: tight, Relatives: a.Protocol.Noise.Relatives(), Loss: func(_, own float64) (float64, privacy.Claim, error) {
			return curator.RevealedLoss(own, family.Tightest(m))
		}}
		return []family.Accountant{{Name: tight, Check: a.checkSecret, Beside: family.Always,
			Price: func(sigma *float64) (family.Account, float64, error) { return shown.Price(&a.Holdings, sigma) }}}
	}
	return []family.Accountant{
		family.AsPublished(p, m, a.checkPublished, func(eps float64) (privacy.Noise, error) { return curator.Published(eps, m.Delta) }),
		{Name: tight, Check: a.checkSecret, Beside: family.Always, Price: func(sigma *float64) (family.Account, float64, error) {
			if sigma == nil {
				noise, _, err := curator.Tight(p.Calibrate.Target(), family.Tightest(m))
				if err != nil {
					return family.Account{}, 0, err
				}
				sigma = &noise.Multiplier
			}
			loss, claim, err := curator.Loss(*sigma, family.Tightest(m))
			return family.Constant(tight, loss, claim), *sigma, err
		}},
	}
}

// checkSecret refuses a curator who does not draw every node uniformly and in secret.
func (a Algorithm) checkSecret() error { return cmp.Or(a.checkUniformDraws(), a.checkSecretStart()) }

// checkPublished refuses, in addition, steps that differ from those of the papers.
func (a Algorithm) checkPublished() error {
	if m := a.Protocol.Momentum; m != 0 {
		return fault.New(fmt.Sprintf("algorithm.momentum: %g, but the papers' central baseline has none", m), "use accountant: tight, which charges every iterate as public")
	}
	if a.Protocol.Noise.Together {
		return fault.New("algorithm.clip_each: mean, but the papers' central baseline clips rows", "use accountant: tight, which asks nothing of a step but its sensitivity")
	}
	return a.checkSecret()
}

// checkSecretStart refuses a first node that the spec names, because its number is public and its contribution hides behind no
// other.
func (a Algorithm) checkSecretStart() error {
	start := a.Spec.Algorithm.Start
	if start.Uniform {
		return nil
	}
	return fault.New(fmt.Sprintf("algorithm.start: %s is public, but the central baseline is priced for a curator who draws every node in secret",
		cmp.Or(start.Name, strconv.Itoa(start.Node))),
		"leave start out, or use start: uniform")
}

// checkUniformDraws refuses a cap, because it makes a draw depend on the secret earlier draws.
func (a Algorithm) checkUniformDraws() error {
	if a.Protocol.Cap == 0 {
		return nil
	}
	return fault.New(fmt.Sprintf("algorithm.contributions: %d, but the central baseline is priced for draws that do not depend on earlier ones, as a cap makes them", a.Protocol.Cap),
		"leave contributions out, or use kind: local, whose price is the cap")
}

// Scoring implements family.Algorithm.
func (a Algorithm) Scoring() family.Scoring {
	n := a.Protocol.Nodes
	return family.Scoring{Shares: slices.Repeat([]float64{1 / float64(n)}, n)}
}

// Pairs implements family.Algorithm.
func (a Algorithm) Pairs() error {
	return fault.New(fmt.Sprintf("algorithm.kind: under the %s baseline all pairs lose the same", a.Spec.Algorithm.Kind),
		"use kind: walk; for the baseline see hearsay plan")
}

// Audit implements family.Algorithm.
func (a Algorithm) Audit() (family.Audit, error) { return nil, a.Pairs() }

// CheckHeard implements family.Closed. Nodes send each other no messages.
func (a Algorithm) CheckHeard() error {
	return fault.New(fmt.Sprintf("algorithm.kind: under the %s baseline nodes send each other nothing", a.Spec.Algorithm.Kind),
		"attack by whoever receives the final model (--attackers model)")
}

// uses says how each accountant of the baselines uses each key. The last two columns are the papers'.
var uses = family.Uses{
	Columns: []string{"local", "tight", "published local", "published central"},
	Rows: map[string][]family.Use{
		"kind":          family.All(4, family.Priced),
		"steps":         {family.Free, family.Priced, family.Priced, family.Priced},
		"step_size":     family.All(4, family.Free),
		"clip":          family.All(4, family.Free), // sigma is in units of the sensitivity, 2 clip
		"average":       family.All(4, family.Free),
		"fill":          family.All(4, family.Free),                                 // the sensitivity stays 2 clip
		"weigh_rows":    family.All(4, family.Free),                                 // a weight of at most 1 on clipped gradients
		"local_steps":   {family.Needed, family.Free, family.Needed, family.Needed}, // their sum is clipped: clip_each: mean
		"clip_each":     {family.Needed, family.Free, family.Needed, family.Needed}, // mean: the sensitivity stays 2 clip; the papers clip rows
		"contributions": {family.Priced, family.Needed, family.Priced, family.Needed},
		"tokens":        family.All(4, family.Priced), // one, says the spec
		"burn_in":       family.All(4, family.Free),
		"momentum":      {family.Needed, family.Free, family.Needed, family.Needed}, // every iterate is charged as public, and so is the state that steps carry on; the papers have no momentum
		"radius":        family.All(4, family.Free),                                 // a projection is post-processing
		"start":         {family.Free, family.Needed, family.Free, family.Needed},
		"unit":          {family.Priced, family.Priced, family.Needed, family.Needed}, // the papers' are about participants
		"record_name":   family.All(4, family.Free),
		"sigma":         family.All(4, family.Priced),
		"calibrate":     family.All(4, family.Priced),
		"accountant":    family.All(4, family.Priced),
		"metric":        {family.Priced, family.Priced, family.Needed, family.Needed}, // the papers' know epsilon at a delta only
		"release":       family.All(4, family.Free),
		"sender":        family.All(4, family.Free),
		"condition":     family.All(4, family.Free),
		"conversion":    family.All(4, family.Free),
		"limits":        family.All(4, family.Absent),
		"coalition":     family.All(4, family.Free), // besides all pairs, by the path accountant alone (spec)
	},
}

// Uses implements family.Family.
func (Family) Uses() family.Uses { return uses }

// Notes implements family.Algorithm.
func (a Algorithm) Notes() []string {
	notes := a.Algorithm.Notes()
	if a.Spec.Algorithm.Kind == central {
		notes = append(notes, "kind central is the papers' baseline: its curator draws one user a step. It is not the best that a curator can do, which stands beside the run.")
	}
	return notes
}
