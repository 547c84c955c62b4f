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
