package schedule

import (
	"iter"
	"slices"

	"github.com/hearsay-dp/hearsay/step"
)

// A Consensus is ADMM in rounds (002 Algorithms 8.2 and 8.3). In each round the nodes of the
// Rota are shown z, and each sends Server the change of its variable. For other data that change differs by at most 2 lambda
// gamma/(1 + gamma Strong) times Sensitivity. Its noise has the same factor times Noise.
type Consensus struct {
	Nodes, Rounds int
	Rota          [][]step.NodeID // who updates in each round, ascending; nil: all
	Server        step.NodeID     // who is shown changes; below 0: a curator who shows them to nobody

	Sensitivity   float64 // of a contribution, in the unit of a gradient
	Noise         float64 // standard deviation per coordinate, same unit
	Sensitivities         // where one record is the unit of privacy; Sensitivity is the largest

	Lambda    float64 // 0 < Lambda <= 1: the share of the way to its reflection that a variable goes
	Gamma     float64 // of the proximal operators
	Clip      float64 // of every row's gradient
	Strong    float64 // L2 penalty of every node's losses
	Tolerance float64 // the norm that proximal points may be off by, over gamma Clip/(1 + gamma Strong)
}

// Most returns the largest number of contributions one node can make.
func (c Consensus) Most() int {
	if c.Rota == nil {
		return c.Rounds
	}
	return slices.Max(c.Turns())
}

// Turns returns how often each node updates.
func (c Consensus) Turns() []int {
	turns := make([]int, c.Nodes)
	for t := range step.Turn(c.Rounds) {
		if c.Rota == nil {
			return slices.Repeat([]int{c.Rounds}, c.Nodes)
		}
		for _, v := range c.Rota[t] {
			turns[v]++
		}
	}
	return turns
}

// Drawn returns the nodes of round t, ascending. It may overwrite dst.
func (c Consensus) Drawn(dst []step.NodeID, t step.Turn) []step.NodeID {
	if c.Rota != nil {
		return append(dst[:0], c.Rota[t]...)
	}
	dst = dst[:0]
	for v := range step.NodeID(c.Nodes) {
		dst = append(dst, v)
	}
	return dst
}

// Relatives returns the nodes' sensitivities over the largest. It returns nil if all are equal.
func (c Consensus) Relatives() Relatives { return c.relatives(c.Sensitivity) }

// Releases yields the releases of a run, round by round and in each by rising node number. holds reports
// whether a node holds any data. A nil holds means that all do.
func (c Consensus) Releases(holds func(step.NodeID) bool) iter.Seq[step.Release] {
	return func(yield func(step.Release) bool) {
		var drawn []step.NodeID
		for t := range step.Turn(c.Rounds) {
			drawn = c.Drawn(drawn, t)
			for _, v := range drawn {
				r := step.Release{From: v, To: c.Server, Turn: t, Contributed: holds == nil || holds(v)}
				r.Sensitivity, r.NoiseStd = c.Sensitivities.of(v, c.Sensitivity), c.Noise
				if !yield(r) {
					return
				}
			}
		}
	}
}
