package noise

import "github.com/hearsay-dp/hearsay/step"

// Simulated draws noise from keyed streams: the same seed, node, turn and
// lane give the same noise under every driver. Not safe for concurrent use.
type Simulated struct {
	seed   uint64
	stream step.Stream
}

// NewSimulated returns a simulated source.
func NewSimulated(seed uint64) *Simulated { return &Simulated{seed: seed} }

// Add implements Source.
func (s *Simulated) Add(dst []float64, std float64, node step.NodeID, t step.Turn, lane step.Lane) {
	if std == 0 {
		return
	}
	r := s.stream.At(s.seed, node, t, lane, step.Noise)
	for i := range dst {
		dst[i] -= std * r.NormFloat64()
	}
}

// Simulated is true.
func (*Simulated) Simulated() bool { return true }
