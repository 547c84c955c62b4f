// Package descent is one node's noisy gradient step on its own data, which
// every learning algorithm of Hearsay is made of (line 4 of 002 Algorithms
// 7.2 and 7.3 for the walk, line 4 of 002 Algorithm 6.3 for gossip).
package descent

import (
	"slices"

	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/step"
)

// A Local is everything about a node's own step that all nodes agree on.
type Local struct {
	Params    int             // length of the model
	Objective model.Objective // what is minimised
	Noise     noise.Gaussian  // clipping and noise of every step
	StepSize  StepSize
	Radius    float64   // the model is projected on this ball after each step; 0: not
	Fill      bool      // nodes scale their gradients up to the clipping norm
	Batch     int       // examples a contribution is drawn from; 0: all of the node's
	Epoch     int       // in how many batches a node's rows are dealt one by one, of which contributions take one after the other; below 2: they do not
	MaxScale  float64   // with Fill: the largest scale that the step size allows
	Rows      int       // public number of rows at which a node weighs 1, fewer weigh less; 0: all nodes weigh 1
	Initial   []float64 // public parameters that a run begins with; nil: zeros
	Momentum  float64   // of steps that are completed by Carry, below 1; 0: none

	// Importance is a public factor above 0 of every node's losses, which are clipped
	// after it: what a node releases is as long as ever. Where the step size is constant
	// a node that it would make steeper than that allows takes the largest that it
	// allows; with steps that fall nothing counts on it. nil: 1 each. Steps are not proximal.
	Importance []float64

	// Proximal takes the step to the proximal point of the node's loss and penalty
	// instead of one along their gradient (package prox). The model is model.Margined.
	Proximal bool
	// Precision is how far, over the step size and the clip, a proximal point that was
	// found may be from the true one: Precise.
	Precision float64
}

// spare is the part of the clipping norm that proximal steps keep free: what is
// minimised is clipped to the rest.
const spare = 0x1p-10

// Precise is the precision of proximal points in a run of so many turns whose unit of
// privacy has so large a share of a node's mean at least (1: all of it). Two points,
// each found to within p = Precision x step x clip, are as far apart as the true ones
// and 2 p. In units of the sensitivity 2 x clip x share x step that is r = Precision/share
// more to hide in every turn. A difference that a contribution begins, s long, and that is
// covered by the noise of l turns has an energy of at least s^2/l; with r more in each of
// them the energy is at most (1 + r l/s)^2 times what it was, and a node's own
// contribution is at most (1 - spare + r) long. So with r (turns + 1) <= spare all
// that a proximal walk gives away is below what an exact one would that is clipped to
// the whole norm: (1 - spare + r)(1 + r turns) <= 1 + r (turns + 1) - spare <= 1.
func Precise(turns int, share float64) float64 {
	return spare / 2 * share / float64(max(1, turns))
}

// LossClip is the norm that what is minimised is clipped to.
func (l *Local) LossClip() float64 {
	if l.Proximal {
		return l.Noise.Clip * (1 - spare)
	}
	return l.Noise.Clip
}

// Begin is a copy of what a run begins with.
func (l *Local) Begin() []float64 {
	x := make([]float64, l.Params)
	copy(x, l.Initial)
	return x
}

// Scale is the constant by which a node that holds ex multiplies its clipped
// mean gradient. With Fill it is the largest for which that mean, of all examples or
// of any Batch of them, can never exceed the clipping norm (model.BatchReach; else
// the mean would have to be clipped, and be no gradient) nor a step the non-expansive range
// (StepSize x (scale x Smoothness + L2) <= 2). Both are sound for the node's
// own data alone; neither tells anybody anything.
//
// With Rows, which excludes Fill, it is the node's share of so many rows, at most
// 1: the release is then the sum of clipped gradients over Rows. As its norm is
// at most the clipping norm whatever the number of rows, that number is protected
// as all else of the node is.
func (l *Local) Scale(ex model.Examples) float64 {
	if l.Rows > 0 && ex.Len() > 0 {
		return min(1, float64(ex.Len())/float64(l.Rows))
	}
	if !l.Fill || ex.Len() == 0 {
		return 1
	}
	batch := l.Batch
	if l.Epoch > 1 { // the smallest that there is
		batch = max(1, ex.Len()/l.Epoch)
	}
	reach := model.BatchReach(l.Objective.Model, ex, batch, l.LossClip())
	if reach == 0 {
		return 1
	}
	return max(1, min(l.LossClip()/reach, l.MaxScale))
}

// ScaleOf is that of node v, which holds ex.
func (l *Local) ScaleOf(v step.NodeID, ex model.Examples) float64 {
	if l.Importance == nil {
		return l.Scale(ex)
	}
	scale := l.Importance[v]
	if ex.Len() == 0 || l.StepSize.Power > 0 {
		return scale
	}
	if room := (2/l.StepSize.Largest() - l.Objective.L2) / l.Objective.LossSmoothnessOn(ex); room > 0 { // not a number: gradients do not change
		scale = min(scale, room)
	}
	return scale
}

// Update is what is known of the steps of a run, for an objective of which g
// holds.
func (l *Local) Update(g model.Guarantees) model.Update {
	d := model.Descent{Step: l.StepSize.Largest(), Clip: l.Noise.Clip, Within: l.Importance != nil && l.StepSize.Power == 0, Before: l.Importance != nil, Together: l.Noise.Together}
	if l.Importance != nil && !d.Within {
		d.Scale = slices.Max(l.Importance)
	}
	if l.Fill && l.Rows == 0 {
		d.Scale = l.MaxScale
	}
	if l.Noise.Sampled() { // all rows may be in a sample, whose sum is divided by fewer
		d.Scale = l.Noise.Most()
	}
	if l.Proximal {
		return g.Proximal(d)
	}
	return g.Update(d)
}

// Bytes is the size of a model's numbers on the wire.
func (l *Local) Bytes() int { return 8 * l.Params }
