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
	After     After   // what a node does once it has reached its cap
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

// A Router decides who holds the token after the given turn. It sees no data:
// the path of the token is independent of what is learnt.
type Router interface {
	Next(at step.NodeID, t step.Turn) step.NodeID
}
