package walkfamily

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/privacy"
)

// Utility applies 002 Theorem 7.6, or says why it does not apply.
func (a *Algorithm) Utility() family.Utility {
	u := family.Utility{NoisePerHop: family.NoiseNorm(a.Local())}
	if u.Why = a.noPromise(); u.Why != "" {
		return u
	}
	c := a.promise(a.Protocol.Noise.Multiplier)
	gamma, distance := c.TheoryStep(), c.Distance2()
	excess := a.Guarantees.Smoothness() / 2 * distance
	u.StepSize, u.Distance2, u.Excess = &gamma, &distance, &excess
	u.Why = fmt.Sprintf("at the theorem's step size without fill, with mixing time at most %.4g, gradients at most %g, the "+
		"optimum within %.4g of 0, and no node at its cap", a.Mixing, c.Gradient, c.Distance)
	return u
}

// promise returns the public bounds that 002 Theorem 7.6 takes. The gradient at the optimum is at most the clipping norm. A
// mu-strongly convex objective with gradients at most C has its optimum at most C/mu from 0. The bounds are for unscaled
// gradients (fill: false) and for a run in which no node reaches its cap.
func (a *Algorithm) promise(multiplier float64) walk.Conditions {
	clip, mu := a.Protocol.Noise.Clip, a.StrongConvexity()
	noise := a.Protocol.Noise
	noise.Multiplier = multiplier
	std := noise.Std()
	distance := clip / mu
	if r := a.Spec.Algorithm.Radius; r > 0 {
		distance = min(distance, r)
	}
	return walk.Conditions{
		Steps: a.Spec.Algorithm.Steps, StrongConvex: mu, Smoothness: a.Guarantees.Smoothness(),
		Mixing: a.Mixing, Gradient: clip, Distance: distance, NoiseEnergy: float64(a.Protocol.Params) * std * std,
	}
}

// StrongConvexity returns the strong convexity of the objective that clipping leaves. It is all of it where no gradient is ever
// clipped, else that of the penalty alone.
func (a *Algorithm) StrongConvexity() float64 {
	if a.largestGradient() <= a.Protocol.Noise.Clip*(1+1e-14) {
		return a.Guarantees.StrongConvex()
	}
	return a.Spec.Model.L2
}

// largestGradient bounds the gradient of an example for all parameters that the projection allows.
func (a *Algorithm) largestGradient() float64 {
	if r := a.Protocol.Radius; r > 0 && a.Objective.Name() == (model.Mean{}).Name() {
		return 2 * (r + a.Federation.Bound)
	}
	return a.Guarantees.Lipschitz()
}

// noPromise says why 002 Theorem 7.6 does not cover this run. It returns "" if it does.
func (a *Algorithm) noPromise() string {
	switch {
	case a.Protocol.Proximal:
		return "Theorem 2 is about gradient steps"
	case a.Protocol.Momentum > 0:
		return "Theorem 2 is about steps without momentum"
	case a.Protocol.Noise.Together:
		return "Theorem 2 is about rows that are clipped one by one"
	case a.Protocol.Skip > 0:
		return "Theorem 2 is about holders that all take their steps"
	case a.Protocol.Importance != nil:
		return "Theorem 2 is about nodes that weigh alike"
	case a.ownAsymmetry() != nil:
		return a.ownAsymmetry().Error()
	case a.StrongConvexity() == 0:
		return "Theorem 2 needs an objective that clipping leaves strongly convex"
	case a.Mixing == 0:
		return "no bound on the mixing time is known for this graph"
	case !(a.promise(0).TheoryStep() > 0):
		return fmt.Sprintf("Theorem 2 says nothing about as few as %d steps at mixing time %.3g", a.Spec.Algorithm.Steps, a.Mixing)
	}
	return ""
}

// ownAsymmetry returns an error if a given matrix is not symmetric.
func (a *Algorithm) ownAsymmetry() error {
	if a.Transition == nil || !a.Transition.Own() {
		return nil
	}
	return a.Transition.CheckSymmetric("Theorem 2", privacy.RowTolerance, "")
}

// theoryStep sets the step size of 002 Theorem 7.6.
func (a *Algorithm) theoryStep() error {
	if why := a.noPromise(); why != "" {
		return fault.New("algorithm.step_size: theory gives none: "+why,
			"set model.l2 above 0 (for mean: a radius, and a clip that never binds in it), take more steps, or give a number")
	}
	a.Protocol.StepSize = descent.StepSize{Base: a.promise(0).TheoryStep()}
	return nil
}
