package schedule

import (
	"iter"

	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// AnyStart as a Walk's Start draws the first holder uniformly.
const AnyStart = -1

// A Walk is a random walk of one token, or of several: the law of its path, and
// which turns add what. The holder of every turn after the burn-in updates the
// token and adds noise. A node that has contributed Cap times, or EdgeCap times
// to a token from the same neighbour, or that holds no data, adds noise only.
type Walk struct {
	Nodes  int            // n >= 1
	W      *sparse.Matrix // transition matrix, rows sum to 1; nil: every node alike, the holder included (complete graph)
	Start  int            // the first holder, or AnyStart
	Turns  int            // turns that update the token, the first holder's included, >= 1
	BurnIn int            // turns before them that change nothing, >= 0
	Cap    int            // most contributions of a node, over all tokens, 0: no cap
	Final  bool           // the last token is shown to everybody

	EdgeCap int     // most contributions of a node after receipts from one neighbour, itself too, 0: no cap
	Tokens  int     // models that walk independently, each its Turns; 0 means 1
	Power   float64 // step sizes fall as 1/(turn+1)^Power, 0: constant

	Forward  bool // a node that does not contribute passes the token on unchanged, without noise
	Reroutes bool // a token that is not answered for may take another way, or be replaced: its path depends on failures

	Sensitivity float64 // of a contribution, in the unit of a gradient
	Noise       float64 // standard deviation per coordinate, same unit

	Sensitivities // where one record is the unit of privacy; Sensitivity is the largest

	Update model.Update // what is known of the updates; the zero value amplifies nothing
}

// AllTokens is how many tokens walk, at least 1.
func (w Walk) AllTokens() int { return max(1, w.Tokens) }

// Most is the largest number of contributions one node can make.
func (w Walk) Most() int {
	most := w.Turns * w.AllTokens()
	if w.Cap == 0 {
		return most
	}
	return min(w.Cap, most)
}

// A Path is how one token goes.
type Path struct {
	Start step.NodeID
	Lane  step.Lane                                                     // which token it is
	Next  func(at step.NodeID, t step.Turn, lane step.Lane) step.NodeID // who holds it after turn t, which counts from the burn-in
	Holds func(step.NodeID) bool                                        // whether a node holds any data; nil: all do
}

// Releases yields, turn by turn, what one token's run releases on a path.
func (w Walk) Releases(p Path) iter.Seq[step.Release] {
	return func(yield func(step.Release) bool) {
		counts := walkCounts{Walk: &w, holds: p.Holds, used: make(map[step.NodeID]int), crossed: make(map[[2]step.NodeID]int)}
		from, at := p.Start, p.Start
		for t := range step.Turn(w.BurnIn + w.Turns) {
			r := counts.release(from, at, t)
			r.To, r.Lane = p.Next(at, t, p.Lane), p.Lane
			if !yield(r) {
				return
			}
			from, at = at, r.To
		}
	}
}

// walkCounts are the contributions so far, by node and by edge.
type walkCounts struct {
	*Walk
	holds   func(step.NodeID) bool
	used    map[step.NodeID]int
	crossed map[[2]step.NodeID]int
}

// release is the one of turn t, but for the receiver.
func (c *walkCounts) release(from, at step.NodeID, t step.Turn) step.Release {
	r := step.Release{From: at, Turn: t}
	if int(t) < c.BurnIn {
		return r
	}
	r.Contributed = c.contributes(from, at)
	if r.Contributed || !c.Forward {
		r.Sensitivity, r.NoiseStd = c.Sensitivities.of(at, c.Sensitivity), c.Noise
	}
	return r
}

// contributes reports whether the holder does, and counts.
func (c *walkCounts) contributes(from, at step.NodeID) bool {
	if c.Cap > 0 && c.used[at] >= c.Cap || c.holds != nil && !c.holds(at) {
		return false
	}
	if edge := [2]step.NodeID{from, at}; c.EdgeCap > 0 {
		if c.crossed[edge] >= c.EdgeCap {
			return false
		}
		c.crossed[edge]++
	}
	c.used[at]++
	return true
}
