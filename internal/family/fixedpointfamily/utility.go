package fixedpointfamily

import (
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/algo/fixedpoint"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sparse"
)

// Utility applies the corrected form of 002 Theorem 8.5 (fixedpoint.Bound) to public quantities, or says why there is no
// guarantee.
func (a *Algorithm) Utility() family.Utility {
	u := family.Utility{NoisePerHop: family.NoiseNorm(&a.local) / float64(a.keys.Draw)}
	b, why := a.promise()
	if why != "" {
		u.Why = why
		return u
	}
	steps := a.Spec.Algorithm.Steps
	distance := b.After(steps)
	u.Distance2 = &distance
	u.Why = b.Says(steps)
	if r := a.Objective.Regulariser; r.None() {
		beta := a.Guarantees.Smoothness()
		if a.local.Fill && a.local.Rows == 0 { // scaled up to the largest that the step size allows
			beta = math.Max(beta, 2/a.local.StepSize.Base)
		}
		excess := beta / 2 * distance
		u.Excess = &excess
	}
	return u
}

// promise returns the public bounds that Theorem 8.5 takes, or why it does not apply.
func (a *Algorithm) promise() (b fixedpoint.Bound, why string) {
	size, n, m := a.local.StepSize, float64(a.Spec.Nodes), float64(a.keys.Draw)
	tau := fixedpoint.Contraction(&a.local, a.Guarantees)
	switch {
	case a.keys.Activation == cyclic && len(a.blocks) > 1:
		return b, "blocks of a contraction that take turns may diverge (docs/PAPERS.md): the theorem is about blocks drawn at random"
	case size.Power != 0:
		return b, "the operator changes with its step size"
	case len(a.blocks) > 1 && !a.Guarantees.Unclipped(a.local.Noise.Clip):
		return b, "gradients that are clipped block by block need not be those of any function"
	case math.IsInf(a.local.Noise.Clip, 1):
		return b, "without a clip no bound of the fixed point's distance is known"
	case math.IsInf(tau, 1):
		return b, "nothing bounds how far apart the operator moves two points"
	case !(tau < 1):
		return b, fmt.Sprintf("nothing is known to contract: at step size %g the operator moves two points apart by at most %.4g (strong convexity, from model.l2 or an l2 regulariser, would do)", size.Base, tau)
	}
	std := size.Base * a.local.Noise.Std() / m
	spread := size.Base * a.local.Noise.Clip
	b = fixedpoint.Bound{
		Tau: tau, Active: a.active(), Lambda: a.keys.Lambda, Noise2: float64(a.local.Params) * std * std,
		Error2: spread * spread * a.spread(n, m), Unbiased: true,
	}
	start := a.firstMove() / (1 - tau)
	b.Start2 = start * start
	return b, ""
}

// spread returns the variance of a mean over m of n gradients, drawn without replacement, over that of one drawn gradient.
func (a *Algorithm) spread(n, m float64) float64 {
	if m == n {
		return 0
	}
	return (n - m) / (n - 1) / m
}

// active returns the probability that a block is active in a step.
func (a *Algorithm) active() float64 {
	switch a.keys.Activation {
	case random:
		return a.keys.Probability
	case uniform:
		return 1 / float64(len(a.blocks))
	}
	return 1
}

// firstMove bounds the first move of the start by R. The gradient there is at most a clip long.
func (a *Algorithm) firstMove() float64 {
	begin := a.local.Begin()
	z := slices.Clone(begin)
	a.Objective.Regulariser.Prox(z, z, a.local.StepSize.Base)
	sparse.Axpy(begin, -1, z)
	return sparse.Norm(begin) + float64(a.local.StepSize.Base*(a.local.Noise.Clip+float64(a.Objective.L2*sparse.Norm(z))))
}

// Scoring implements family.Algorithm.
func (a *Algorithm) Scoring() family.Scoring {
	n := a.Spec.Nodes
	return family.Scoring{Shares: slices.Repeat([]float64{1 / float64(n)}, n)}
}

// Cost implements family.Algorithm. It counts the curator's releases.
func (a *Algorithm) Cost() family.Cost {
	each := 0
	if a.shown > 0 {
		each = int(8 * a.moved / int64(a.shown))
	}
	return family.Cost{Unit: "release", Hops: a.shown, BytesPerHop: each, Bytes: int(8 * a.moved), PerNode: float64(a.shown) / float64(a.Spec.Nodes)}
}

// Notes implements family.Algorithm.
func (a *Algorithm) Notes() []string {
	if !a.Objective.Regulariser.None() {
		return []string{"The model is the proximal point of the regulariser at the last iterate; noise is on iterates, before it."}
	}
	return nil
}

// Conditions implements family.Algorithm.
func (a *Algorithm) Conditions() []string { return nil }
