package walk

import (
	"hearsay/model"
	"hearsay/noise"
	"hearsay/step"
)

// A Protocol is everything about a run that all nodes agree on.
type Protocol struct {
	Nodes     int
	Params    int             // length of the token
	Objective model.Objective // what is minimised
	Noise     noise.Gaussian  // clipping and noise of every turn
	StepSize  StepSize
	Radius    float64 // the token is projected on this ball after each turn; 0: not
	Steps     int     // turns in which the token is updated, >= 1
	BurnIn    int     // turns before them in which it only walks
	Cap       int     // most contributions of one node; 0: no cap
	Fill      bool    // nodes scale their gradients up to the clipping norm
	After     After   // what a node does once it has reached its cap
	MaxScale  float64 // with Fill: the largest scale that the step size allows
	Start     step.NodeID
}

// After says what a node that has reached its cap does with the token.
type After uint8

// NoiseOnly keeps protecting the others (000 Remark 5); Forward passes the
// token on unchanged, which is enough when every release is public anyway.
const (
	NoiseOnly After = iota
	Forward
)

// Turns is the number of turns of the whole run.
func (p *Protocol) Turns() step.Turn { return step.Turn(p.BurnIn + p.Steps) }

// contributes reports whether a node that has contributed used times does so
// once more.
func (p *Protocol) contributes(used int32) bool { return p.Cap == 0 || int(used) < p.Cap }

// Scale is the constant by which a node that holds ex multiplies its clipped
// mean gradient. With Fill it is the largest for which that mean can never
// exceed the clipping norm (model.Reach) nor a step the non-expansive range
// (StepSize x (scale x Smoothness + L2) <= 2). Both are sound for the node's
// own data alone; neither tells anybody anything.
func (p *Protocol) Scale(ex model.Examples) float64 {
	if !p.Fill || ex.Len() == 0 {
		return 1
	}
	reach := model.Reach(p.Objective.Model, ex, p.Noise.Clip)
	if reach == 0 {
		return 1
	}
	return max(1, min(p.Noise.Clip/reach, p.MaxScale))
}

// A Node is what a node remembers of a run.
type Node struct {
	Contributions int32
	Scale         float64 // see Protocol.Scale
}

// A Router decides who holds the token after the given turn. It sees no data:
// the path of the token is independent of what is learnt.
type Router interface {
	Next(at step.NodeID, t step.Turn) step.NodeID
}
