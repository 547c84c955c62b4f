package schedule

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/step"
)

// Sensitivities are those of every node's contributions where one record is the unit
// of privacy, each above 0, in the unit of a gradient; nil: the unit is all the data of
// a participant, and all nodes have the same.
//
// Noise has one standard deviation at all nodes, s, and a noise multiplier says how
// many times the largest sensitivity D that is. What a node u with sensitivity D_u gives
// away is then what accountants find for sensitivity D, with energies (squared shifts
// over noise) times (D_u/D)^2: of u's data only the length of the shifts that begin at u
// depends on them, and what becomes of a shift at other nodes does not.
type Sensitivities []float64

// Records reports whether one record is the unit of privacy.
func (s Sensitivities) Records() bool { return s != nil }

// of is that of a node, or the one that all have.
func (s Sensitivities) of(v step.NodeID, all float64) float64 {
	if s == nil {
		return all
	}
	return s[v]
}

// relatives are all sensitivities over the largest, nil where all nodes have the same.
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

// Relatives are the sensitivities of nodes over the largest, from 0 to 1; nil: all
// are 1.
type Relatives []float64

// At is that of a node.
func (r Relatives) At(v int) float64 {
	if r == nil {
		return 1
	}
	return r[v]
}

// Relatives are the nodes' sensitivities over the largest.
func (w Walk) Relatives() Relatives { return w.relatives(w.Sensitivity) }

// Relatives are the nodes' sensitivities over the largest, what is cut down counted.
func (r Ring) Relatives() Relatives {
	all := r.relatives(r.Sensitivity)
	for v := range all {
		all[v] += r.CutDown / r.Sensitivity
	}
	return all
}

// Relatives are the nodes' sensitivities over the largest.
func (g *Gossip) Relatives() Relatives { return g.relatives(g.Sensitivity) }

// Check reports sensitivities that are not those of so many nodes.
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
