package noise

import "github.com/hearsay-dp/hearsay/step"

// Shared is noise that two neighbours draw together, each without asking the other:
// what one of them adds the other subtracts.
type Shared interface {
	// AddShared adds to dst what node adds on account of peer, a Gaussian of standard
	// deviation std, for what it releases of a lane at turn t. Peer, asked about node,
	// adds the same with the other sign. A (node, peer, turn, lane) is asked for once.
	AddShared(dst []float64, std float64, node, peer step.NodeID, t step.Turn, lane step.Lane)
	// Simulated reports whether the noise can be predicted from a seed.
	Simulated() bool
}

// Cancelling is a Source that adds, besides the noise of Own, what a node shares with each
// of its neighbours, Ratio times as large.
type Cancelling struct {
	Own        Source
	Shared     Shared
	Ratio      float64
	Neighbours func(node step.NodeID) []int32 // ascending; the node itself does not count
}

// Add implements Source.
func (c *Cancelling) Add(dst []float64, std float64, node step.NodeID, t step.Turn, lane step.Lane) {
	c.Own.Add(dst, std, node, t, lane)
	for _, peer := range c.Neighbours(node) {
		if step.NodeID(peer) != node {
			c.Shared.AddShared(dst, c.Ratio*std, node, step.NodeID(peer), t, lane)
		}
	}
}

// Simulated reports whether either can be predicted.
func (c *Cancelling) Simulated() bool { return c.Own.Simulated() || c.Shared.Simulated() }

// AddShared implements Shared.
func (s *Simulated) AddShared(dst []float64, std float64, node, peer step.NodeID, t step.Turn, lane step.Lane) {
	if std == 0 {
		return
	}
	r := s.stream.AtPair(s.seed, node, peer, t, lane, step.Noise)
	if node > peer {
		std = -std
	}
	for i := range dst {
		dst[i] += float64(std * r.NormFloat64())
	}
}
