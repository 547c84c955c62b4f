package schedule

import (
	"iter"

	"github.com/hearsay-dp/hearsay/step"
)

// A Consensus is ADMM in rounds (002 Algorithms 8.2 and 8.3): in each of them Sampled of
// Nodes are drawn, uniformly among those that were drawn less than Cap times, are shown z,
// and each lets out to Server by how much its variable changes: by at most 2 lambda gamma/(1 +
// gamma Strong) times Sensitivity more or less for other data, with as many times Noise.
type Consensus struct {
	Nodes, Rounds int
	Sampled       int         // in a round, 1 to Nodes
	Cap           int         // most rounds of a node; 0: no cap
	Server        step.NodeID // who is shown changes; below 0: a curator who shows them to nobody

	Sensitivity   float64 // of a contribution, in the unit of a gradient
	Noise         float64 // standard deviation per coordinate, same unit
	Sensitivities         // where one record is the unit of privacy; Sensitivity is the largest

	Lambda    float64 // 0 < Lambda <= 1: what of the way to its reflection a variable goes
	Gamma     float64 // of the proximal operators
	Clip      float64 // of every row's gradient
	Strong    float64 // L2 penalty of every node's losses
	Tolerance float64 // the norm that proximal points may be off by, over gamma Clip/(1 + gamma Strong)
}

// Most is the largest number of contributions one node can make.
func (c Consensus) Most() int {
	if c.Cap == 0 {
		return c.Rounds
	}
	return min(c.Cap, c.Rounds)
}

// Relatives are the nodes' sensitivities over the largest.
func (c Consensus) Relatives() Relatives { return c.relatives(c.Sensitivity) }

// Releases yields, round by round and by rising number, what a run releases in which draw says
// who is drawn. holds says whether a node holds any data; nil: all do.
func (c Consensus) Releases(draw func(step.Turn) []step.NodeID, holds func(step.NodeID) bool) iter.Seq[step.Release] {
	return func(yield func(step.Release) bool) {
		for t := range step.Turn(c.Rounds) {
			for _, v := range draw(t) {
				r := step.Release{From: v, To: c.Server, Turn: t, Contributed: holds == nil || holds(v)}
				r.Sensitivity, r.NoiseStd = c.Sensitivities.of(v, c.Sensitivity), c.Noise
				if !yield(r) {
					return
				}
			}
		}
	}
}
