// Package descent implements one node's noisy gradient step on its own data, on which all learning algorithms of
// Hearsay are built (line 4 of 002 Algorithms 7.2 and 7.3 for the walk, line 4 of 002 Algorithm 6.3 for gossip).
package descent

import (
	"slices"

	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/step"
)

// A Local holds the settings of a node's own step, on which all nodes agree.
type Local struct {
	Params    int             // length of the model
	Objective model.Objective // the function to minimise
	Noise     noise.Gaussian  // clipping and noise of every step
	StepSize  StepSize
	Radius    float64 // the model is projected on this ball after each step; 0: not
	Fill      bool    // nodes scale their gradients up to the clipping norm
	Batch     int     // examples a contribution is drawn from; 0: all of the node's
	// LocalSteps is the number of gradient steps of a node by itself whose clipped sum is one contribution; below 2: one. More need
	// Noise.Together, and no Radius.
	LocalSteps int
	Epoch      int       // number of batches of a node's rows, which contributions use in turn; below 2: none
	MaxScale   float64   // with Fill: the largest scale that the step size allows
	Rows       int       // public number of rows of a node of weight 1; fewer rows weigh less; 0: all nodes weigh 1
	Initial    []float64 // public parameters that a run begins with; nil: zeros
	Momentum   float64   // momentum of steps that Carry completes, below 1; 0: none

	// Importance is a public factor above 0 of every node's losses. They are clipped after it, so that it does not
	// change the norm of a release. If the step size is constant, a node whose factor would make its loss too steep
	// for that step takes the largest factor that the step allows. With falling steps there is no such limit, and no
	// accountant relies on it. nil: 1 each. Steps must not be proximal.
	Importance []float64

	// Proximal takes the step to the proximal point of the node's loss and penalty instead of one along their
	// gradient (package prox). The model must be a model.Margined.
	Proximal bool
	// Precision bounds the distance of the proximal point found from the true one, over the step size and the clip:
	// Precise.
	Precision float64
}

// spare is the share of the clipping norm that proximal steps reserve. The objective is clipped to the rest.
const spare = 0x1p-10

// Precise returns the precision of proximal points in a run of turns turns, where share is the least share of a
// node's mean that the unit of privacy has (1: all of it). Two points, each found to within p = Precision x step x
// clip, are at most 2 p further apart than the true ones. In units of the sensitivity 2 x clip x share x step that is
// r = Precision/share more to hide in every turn. A difference s that a contribution begins, and that the noise of l
// turns covers, has an energy of at least s^2/l. With r more in each turn the energy is at most (1 + r l/s)^2 times
// as much, and a node's own contribution is at most (1 - spare + r) long. So with r (turns + 1) <= spare the loss of
// a proximal walk is below that of an exact one that is clipped to the whole norm: (1 - spare + r)(1 + r turns) <= 1
// + r (turns + 1) - spare <= 1.
func Precise(turns int, share float64) float64 {
	return spare / 2 * share / float64(max(1, turns))
}

// LossClip returns the norm to which the objective is clipped, at nodes without a clip of their own.
func (l *Local) LossClip() float64 { return l.lossClip(l.Noise.Clip) }

func (l *Local) lossClip(clip float64) float64 {
	if l.Proximal {
		return clip * (1 - spare)
	}
	return clip
}

// Begin returns a copy of the initial model.
func (l *Local) Begin() []float64 {
	x := make([]float64, l.Params)
	copy(x, l.Initial)
	return x
}

// scale returns the constant by which a node that holds ex multiplies its mean gradient, clipped to clip. With Fill it is the
// largest for which that mean, of all examples or of any batch of them, never exceeds the clipping norm and a step
// stays in the non-expansive range. The first condition is model.BatchReach; without it the mean would have to be
// clipped, and would be no gradient. The second is StepSize x (scale x Smoothness + L2) <= 2. Both are sound for the
// node's own data alone, and neither reveals anything to other nodes.
//
// With Rows, which excludes Fill, it is the ratio of the node's number of rows to Rows, at most 1. The release is
// then the sum of clipped gradients over Rows. Its norm is at most the clipping norm whatever the number of rows, so
// that this number is protected like the rest of the node's data.
func (l *Local) scale(ex model.Examples, clip float64) float64 {
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
	reach := model.BatchReach(l.Objective.Model, ex, batch, clip)
	if reach == 0 {
		return 1
	}
	return max(1, min(clip/reach, l.MaxScale))
}

// ScaleOf returns the scale of node v, which holds ex.
func (l *Local) ScaleOf(v step.NodeID, ex model.Examples) float64 {
	if l.Importance == nil {
		return l.scale(ex, l.lossClip(l.Noise.ClipOf(v)))
	}
	scale := l.Importance[v]
	if ex.Len() == 0 || l.StepSize.Power > 0 {
		return scale
	}
	if room := (2/l.StepSize.Largest() - l.Objective.L2) / l.Objective.LossSmoothnessOn(ex); room > 0 { // NaN: gradients do not change
		scale = min(scale, room)
	}
	return scale
}

// Update returns the known properties of the steps of a run, for an objective with guarantees g.
func (l *Local) Update(g model.Guarantees) model.Update {
	d := model.Descent{Step: l.StepSize.Largest(), Clip: l.Noise.Clip, Least: l.Noise.LeastClip(), Within: l.Importance != nil && l.StepSize.Power == 0, Before: l.Importance != nil, Together: l.Noise.Together || l.LocalSteps > 1}
	if l.Importance != nil && !d.Within {
		d.Scale = slices.Max(l.Importance)
	}
	if l.Fill && l.Rows == 0 {
		d.Scale = l.MaxScale
	}
	if l.Noise.Sampled() { // all rows may be in a sample, whose sum is divided by a smaller number
		d.Scale = l.Noise.Most()
	}
	if l.Proximal {
		return g.Proximal(d)
	}
	return g.Update(d)
}

// Bytes returns the size of a model's parameters on the wire.
func (l *Local) Bytes() int { return 8 * l.Params }
