package walk

import (
	"hearsay/algo/descent"
	"hearsay/step"
)

// A Protocol is everything about a run that all nodes agree on.
type Protocol struct {
	descent.Local // the step of every turn
	Nodes         int
	Steps         int   // turns in which the token is updated, >= 1
	BurnIn        int   // turns before them in which it only walks
	Cap           int   // most contributions of one node; 0: no cap
	After         After // what a node does once it has reached its cap
	Start         step.NodeID
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

// A Node is what a node remembers of a run.
type Node struct {
	Contributions int32
	Scale         float64 // see descent.Local
}

// A Router decides who holds the token after the given turn. It sees no data:
// the path of the token is independent of what is learnt.
type Router interface {
	Next(at step.NodeID, t step.Turn) step.NodeID
}
