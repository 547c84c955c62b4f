package fixedpointfamily

import (
	"context"
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/report"
)

// Accountants implements family.Algorithm. Everybody sees every iterate, so that all nodes have the same loss. A step needs
// nothing but its clip: it need not be non-expansive, and steps on one block are not.
func (a *Algorithm) Accountants(m privacy.Metric) []family.Accountant {
	m, s := family.Tightest(m), a.curator()
	curator := privacy.Central{Nodes: s.Nodes, Steps: s.Steps, Drawn: s.Drawn}
	if s.Sensitivities != nil {
		shown := family.TowardsAll{Name: tight, Relatives: a.local.Noise.Relatives(), Loss: func(_, own float64) (float64, privacy.Claim, error) {
			loss, claim, err := curator.RevealedLoss(own, m)
			return loss, a.claim(claim), err
		}}
		return []family.Accountant{{Name: tight, Check: a.checkReleases, Beside: family.Always,
			Price: func(sigma *float64) (family.Account, float64, error) { return shown.Price(&a.Holdings, sigma) }}}
	}
	return []family.Accountant{{Name: tight, Check: a.checkReleases, Beside: family.Always, Price: func(sigma *float64) (family.Account, float64, error) {
		if sigma == nil {
			noise, _, err := curator.Tight(a.Spec.Privacy.Calibrate.Target(), m)
			if err != nil {
				return family.Account{}, 0, err
			}
			sigma = &noise.Multiplier
		}
		loss, claim, err := curator.Loss(*sigma, m)
		return family.Constant(tight, loss, a.claim(claim)), *sigma, err
	}}}
}

// claim adds the assumption which part of a gradient is clipped.
func (a *Algorithm) claim(c privacy.Claim) privacy.Claim {
	if len(a.blocks) > 1 {
		c.Assumptions = append(c.Assumptions, fmt.Sprintf("which of %d blocks of parameters a step updates is public and depends on no data; what is clipped is the part of an example's "+
			"gradient in the blocks that are updated", len(a.blocks)))
	}
	return c
}

// checkReleases refuses a run that releases nothing.
func (a *Algorithm) checkReleases() error {
	if a.shown > 0 {
		return nil
	}
	return fault.New(fmt.Sprintf("algorithm.probability: %g activates no block in any of %d steps", a.keys.Probability, a.Spec.Algorithm.Steps), "use a larger one, or more steps")
}

// Towards implements family.Algorithm.
func (a *Algorithm) Towards(_ context.Context, u int) ([]*walkpath.Law, error) {
	return family.LocalLaws(a.shown, a.local.Noise, a.Spec.Nodes, u), nil
}

// Together implements family.Algorithm. It returns none, because the laws of Towards hold towards everybody at once.
func (a *Algorithm) Together(context.Context, int, int, []*walkpath.Law) ([]walkpath.Coalition, error) {
	return nil, nil
}

// OnGrid implements family.Algorithm.
func (a *Algorithm) OnGrid(energy, slack float64) float64 {
	return family.HopsOnGrid(energy, a.shown, int64(a.shown), slack)
}

// Active implements family.Algorithm. It is true because only the curator sends messages.
func (a *Algorithm) Active() bool { return true }

// Coalition implements family.Algorithm.
func (a *Algorithm) Coalition(context.Context, family.Accounting) (*report.Coalition, error) {
	return nil, nil
}

// Pairs implements family.Algorithm.
func (a *Algorithm) Pairs() error {
	return fault.New("algorithm.kind: under a curator all pairs lose the same", "use kind: walk; for the curator see hearsay plan")
}

// Explain implements family.Algorithm.
func (a *Algorithm) Explain(int, int, family.Accounting) (*family.Explanation, error) {
	return nil, a.Pairs()
}

// Audit implements family.Algorithm.
func (a *Algorithm) Audit() (family.Audit, error) { return nil, a.Pairs() }

// uses says how the accountant uses each key.
var uses = family.Uses{
	Columns: []string{tight},
	Rows: map[string][]family.Use{
		"kind":          {family.Priced},
		"instance":      {family.Priced}, // by the number of nodes that a step draws
		"blocks":        {family.Free},   // a step is charged for a whole sensitivity, whichever blocks it updates
		"activation":    {family.Free},
		"probability":   {family.Priced}, // steps without any block release nothing
		"lambda":        {family.Free},   // it scales releases with their noise
		"draw":          {family.Priced},
		"steps":         {family.Priced},
		"step_size":     {family.Free},
		"clip":          {family.Free}, // sigma is in units of the sensitivity, 2 clip
		"average":       {family.Free},
		"fill":          {family.Free},   // the sensitivity stays 2 clip
		"weigh_rows":    {family.Free},   // a weight of at most 1 on clipped gradients
		"local_steps":   {family.Needed}, // refused
		"clip_each":     {family.Needed}, // mean: refused
		"contributions": {family.Needed},
		"tokens":        {family.Needed},
		"burn_in":       {family.Needed},
		"momentum":      {family.Needed}, // refused
		"radius":        {family.Needed},
		"start":         {family.Needed},
		"unit":          {family.Priced},
		"record_name":   {family.Free},
		"sigma":         {family.Priced},
		"calibrate":     {family.Priced},
		"accountant":    {family.Priced},
		"metric":        {family.Priced},
		"release":       {family.Free}, // all iterates are public
		"sender":        {family.Free},
		"condition":     {family.Free},
		"conversion":    {family.Free},
		"limits":        {family.Absent},
		"coalition":     {family.Free},
	},
}

// Uses implements family.Family.
func (Family) Uses() family.Uses { return uses }
