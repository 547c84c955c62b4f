package model

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// A Descent describes a node's step on an objective:
//
//	x <- Proj(x - step (scale x mean of gradients, each clipped to Clip, + L2 x) + noise)
//
// with a projection on a convex set, for step sizes up to Step and scales up to
// Scale.
type Descent struct {
	Step  float64 // the largest step size, > 0
	Clip  float64 // per example, before the noise; +Inf: not at all
	Least float64 // the smallest clip of a node, where some have smaller ones than Clip; 0: none has
	Scale float64 // the largest constant a node multiplies its mean by; 0 means 1
	// Within says that every node holds its constant so small that on its own examples
	// Step x (constant x smoothness + L2) <= 2, and that gradients are clipped after it.
	Within bool
	// Before says that gradients are clipped after they are multiplied, not before it.
	Before bool
	// Together says that the mean is clipped and no gradient is, after the mean is multiplied.
	Together bool
}

// longest returns the largest norm of a gradient that no node clips, before it is multiplied by
// Scale.
func (d Descent) longest() float64 {
	clip := d.Clip
	if d.Least > 0 {
		clip = d.Least
	}
	if d.Before {
		clip /= max(1, d.Scale)
	}
	return clip
}

// moved returns the largest norm of a gradient as it is used, if none is longer than lipschitz.
func (d Descent) moved(lipschitz float64) float64 {
	switch {
	case d.Within: // times a factor that is not known here
		return d.Clip
	case d.Before:
		return min(d.Clip, max(1, d.Scale)*lipschitz)
	}
	return min(d.Clip, lipschitz)
}

// An Update holds facts about the steps of a run that hold for all data: the factor by which
// a step spreads two models, and the distance that all of a node's data can move one. It is
// sealed. Guarantees make it, or Asserted, which marks it for good. The zero
// value is an update of which nothing is known.
type Update struct {
	known       bool
	convex      bool
	safe        bool    // clipping leaves gradients of convex functions, or never binds
	smoothness  float64 // of the scaled loss, +Inf when there is none
	l2          float64
	step        float64 // the largest
	sensitivity float64
	bound       float64 // asserted Lipschitz constant; 0: follows from the rest
	source      string
	asserted    string
	unknown     string // which updates those are of which nothing is known
}

// Update returns the facts about the steps d that follow from the guarantees.
func (g Guarantees) Update(d Descent) Update {
	if d.Together { // a step along a clipped mean may spread two models, and no theorem here says by how much
		return Update{sensitivity: 2 * d.moved(g.lipschitz), unknown: " along clipped means of gradients"}
	}
	if g.steps > 0 {
		return Asserted(g.steps, g.asserted)
	}
	u := Update{
		known: g.loss != "", convex: g.convex, safe: g.clipSafe || g.Unclipped(d.longest()), step: d.Step,
		smoothness: max(1, d.Scale) * g.smoothness, l2: g.l2, sensitivity: 2 * d.moved(g.lipschitz), asserted: g.asserted,
	}
	if !(g.smoothness > 0) {
		u.smoothness = math.Inf(1)
	}
	if d.Within {
		return g.within(u, d)
	}
	features := ""
	if !math.IsInf(g.bound, 1) && g.bound > 0 {
		features = fmt.Sprintf(" for features of norm at most %.10g, a constant one included", g.bound)
	}
	scaled := ""
	if d.Scale > 1 && !math.IsInf(u.smoothness, 1) {
		scaled = fmt.Sprintf(", %.10g-smooth once a node has scaled it %.10g times (fill)", u.smoothness, d.Scale)
	}
	if !g.convex {
		u.source = fmt.Sprintf("the %s loss is not convex, and %s%s%s", g.loss, smooth(g.smoothness), features, scaled)
		return u
	}
	u.source = fmt.Sprintf("the %s loss is convex and %s%s%s, the step is at most %g with a penalty of %g on every parameter, and "+
		"clipping is per example and before the noise, and %s", g.loss, smooth(g.smoothness), features, scaled, d.Step, g.l2, g.clipping(d.longest()))
	return u
}

// within returns the update of nodes that hold their own scaled losses to the smoothness that the step
// allows. Each node knows the smoothness of its own loss.
func (g Guarantees) within(u Update, d Descent) Update {
	u.smoothness, u.safe = 2/d.Step-g.l2, g.clipSafe
	if !(u.smoothness > 0) {
		u.smoothness = math.Inf(1)
	}
	u.source = fmt.Sprintf("the %s loss is convex and stays so and as smooth when clipped, every node scales its own by a public factor, or less where its own "+
		"rows would make it more than %g-smooth, and then clips per example; the step is at most %g with a penalty of %g on every parameter", g.loss, u.smoothness, d.Step, g.l2)
	return u
}

// Proximal returns the facts about steps to the proximal point of a node's loss,
// clipped, and the penalty, times the step size. The proximal operator of a convex function, smooth or not,
// is non-expansive for every step size (Moreau 1965; docs/PAPERS.md).
// Points are found so precisely that the error is within the clip.
func (g Guarantees) Proximal(d Descent) Update {
	if g.steps > 0 {
		return Asserted(g.steps, g.asserted)
	}
	if !g.convex || !g.clipSafe {
		return Update{source: fmt.Sprintf("the %s loss, clipped, is not convex", g.loss)}
	}
	return Update{
		known: true, convex: true, safe: true, bound: 1, sensitivity: 2 * d.moved(g.lipschitz), asserted: g.asserted,
		source: fmt.Sprintf("a step leads to the proximal point of the %s loss, each example's clipped to %g less 2^-10 of it, and of the penalty: "+
			"a function that is convex, smooth or not; proximal points are found to 2^-11 of the clip over all turns together, which the rest of the clip covers", g.loss, d.Clip),
	}
}

func smooth(beta float64) string {
	if math.IsInf(beta, 1) {
		return "nothing bounds its smoothness"
	}
	return fmt.Sprintf("%.10g-smooth", beta)
}

// clipping describes the effect of clipping on gradients.
func (g Guarantees) clipping(clip float64) string {
	switch {
	case g.clipSafe:
		return "leaves gradients of convex functions that are as smooth"
	case g.lipschitz <= clip:
		return fmt.Sprintf("never binds: no gradient is longer than %g", g.lipschitz)
	}
	return "need not leave the gradient of any function"
}

// Asserted returns an Update of which somebody claims that no step spreads two models
// by more than the factor lipschitz > 0, for the reason that because gives in one sentence.
// Nothing here has checked it.
func Asserted(lipschitz float64, because string) Update {
	if !(lipschitz > 0) || because == "" {
		panic("model: an update is asserted with a Lipschitz constant above 0 and a reason")
	}
	return Update{known: true, convex: true, safe: true, bound: lipschitz, sensitivity: math.Inf(1), source: because, asserted: because}
}

// Adding returns the update of a private sum: the holder adds noise and a value that does not
// depend on the token, of length at most half of sensitivity. It moves no
// two tokens further apart, by definition.
func Adding(sensitivity float64) Update {
	return Update{known: true, convex: true, safe: true, bound: 1, sensitivity: sensitivity,
		source: "the holder adds a value that does not depend on the token"}
}

// IsAsserted returns the assertion that the update rests on, "" if it is proved.
func (u Update) IsAsserted() string { return u.asserted }

// Source returns one sentence that says why the update holds.
func (u Update) Source() string { return u.source }

// Step returns the largest step size. It returns 0 if only a factor is known that holds for all steps.
func (u Update) Step() float64 { return u.step }

// Sensitivity returns the largest change of the gradient, or of the addend, when
// all of a node's data changes.
func (u Update) Sensitivity() float64 { return u.sensitivity }

// roundOff is the relative rounding error of a product of a few numbers.
const roundOff = 0x1p-50

// Expansive returns the reason why two models may drift apart under the largest step. It returns "" if no step moves any two
// further apart.
func (u Update) Expansive() string {
	smoothness := u.smoothness + u.l2
	switch {
	case !u.known:
		return "nothing is known of the updates" + u.unknown
	case u.bound > 0 && u.bound <= 1:
		return ""
	case u.bound > 1:
		return fmt.Sprintf("an update may spread two models by a factor of %g", u.bound)
	case !u.convex:
		return "the loss is not convex"
	case !u.safe:
		return "clipping makes the step expansive on this model"
	case !(u.smoothness > 0) || math.IsInf(u.smoothness, 1) || !(u.l2 >= 0):
		return "no bound of the loss's smoothness is known"
	case !(u.step > 0 && u.step*smoothness <= 2*(1+roundOff)):
		return fmt.Sprintf("step size %g is above 2/smoothness = %g", u.step, 2/smoothness)
	}
	return ""
}

// Lipschitz returns an upper bound on the factor by which a step of size gamma, from 0 to the largest,
// spreads two models. It is
//
//   - max |1 - gamma h| over curvatures h from the penalty to smoothness for a convex
//     smooth loss whose clipped gradients are those of one,
//   - sqrt(1 + gamma beta/2) for other convex smooth losses, clipped, while gamma
//     beta <= 2,
//   - 1 + gamma beta for any smooth loss,
//
// the last two after the shrinking by the penalty. It is +Inf if nothing is known
// (docs/PAPERS.md). A node that takes no step has 1, whatever Lipschitz returns.
func (u Update) Lipschitz(gamma float64) float64 {
	switch {
	case !u.known || u.bound == 0 && (!(gamma >= 0 && gamma <= u.step) || math.IsInf(u.smoothness, 1) || !(u.l2 >= 0)):
		return math.Inf(1)
	case u.bound > 0:
		return u.bound
	case u.convex && u.safe:
		l := max(math.Abs(1-float64(gamma*u.l2)), math.Abs(1-float64(gamma*(u.smoothness+u.l2))))
		if l > 1 && l <= 1+2*roundOff {
			return 1
		}
		return l
	}
	shrink := math.Abs(1 - float64(gamma*u.l2))
	if moved := gamma * u.smoothness; u.convex && gamma*u.l2 < 1 && moved <= 2*shrink {
		return shrink * math.Sqrt(1+float64(moved/shrink/2))
	}
	return shrink + float64(gamma*u.smoothness)
}
