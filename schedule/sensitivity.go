package schedule

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/step"
)

// Sensitivities holds the sensitivity of every node's contributions, each above 0, in the unit of a
// gradient. They differ where one record is the unit of privacy and nodes have different numbers of
// rows, and where nodes have clips of their own. nil means that all nodes have the same sensitivity.
//
// Noise has one standard deviation at all nodes, D times the noise multiplier, where D is at least the
// largest sensitivity. The loss of a node u with sensitivity D_u
// is the loss at sensitivity D, with energies (squared shifts
// over noise) times (D_u/D)^2. The reason is that u's data determine only the length of the shifts that
// begin at u, and not the course of a shift at other nodes.
type Sensitivities []float64

// of returns the sensitivity of node v. It returns all if s is nil.
func (s Sensitivities) of(v step.NodeID, all float64) float64 {
	if s == nil {
		return all
	}
	return s[v]
}

// relatives returns all sensitivities over the largest. It returns nil if all nodes have the same.
func (s Sensitivities) relatives(largest float64) Relatives {
	if s == nil {
		return nil
	}
	all := make(Relatives, len(s))
	for v, x := range s {
		all[v] = x / largest
	}
	return all
}

// Relatives holds the sensitivities of nodes over the largest, above 0 and at most 1. nil means that
// all are 1.
type Relatives []float64

// At returns the relative sensitivity of node v.
func (r Relatives) At(v int) float64 {
	if r == nil {
		return 1
	}
	return r[v]
}

// Relatives returns the nodes' sensitivities over the largest. It returns nil if all are equal.
func (w Walk) Relatives() Relatives { return w.relatives(w.Sensitivity) }

// Relatives returns the nodes' sensitivities over the largest, with CutDown added to each. It returns nil if all are equal.
func (r Ring) Relatives() Relatives {
	all := r.relatives(r.Sensitivity)
	for v := range all {
		all[v] += r.CutDown / r.Sensitivity
	}
	return all
}

// Relatives returns the nodes' sensitivities over the largest. It returns nil if all are equal.
func (g *Gossip) Relatives() Relatives { return g.relatives(g.Sensitivity) }

// Check returns an error unless there is one sensitivity, above 0 and at most 1, for every node. A nil r passes.
func (r Relatives) Check(nodes int) error {
	if r == nil {
		return nil
	}
	if len(r) != nodes {
		return fault.New(fmt.Sprintf("sensitivities of %d nodes among %d", len(r), nodes), "give one for every node, or none")
	}
	for v, x := range r {
		if !(x > 0 && x <= 1) {
			return fault.New(fmt.Sprintf("the sensitivity of node %d is %g times the largest", v, x),
				"give positive sensitivities, and the largest of them as that of all")
		}
	}
	return nil
}
