// Package descent is one node's noisy gradient step on its own data, which
// every learning algorithm of Hearsay is made of (line 4 of 002 Algorithms
// 7.2 and 7.3 for the walk, line 4 of 002 Algorithm 6.3 for gossip).
package descent

import (
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
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
	MaxScale  float64   // with Fill: the largest scale that the step size allows
	Rows      int       // public number of rows at which a node weighs 1, fewer weigh less; 0: all nodes weigh 1
	Initial   []float64 // public parameters that a run begins with; nil: zeros
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
	reach := model.BatchReach(l.Objective.Model, ex, l.Batch, l.Noise.Clip)
	if reach == 0 {
		return 1
	}
	return max(1, min(l.Noise.Clip/reach, l.MaxScale))
}

// Update is what is known of the steps of a run, for an objective of which g
// holds.
func (l *Local) Update(g model.Guarantees) model.Update {
	d := model.Descent{Step: l.StepSize.Largest(), Clip: l.Noise.Clip}
	if l.Fill && l.Rows == 0 {
		d.Scale = l.MaxScale
	}
	return g.Update(d)
}

// Bytes is the size of a model's numbers on the wire.
func (l *Local) Bytes() int { return 8 * l.Params }
