package noise

import (
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// Simulated draws noise from keyed streams. The same seed, node, turn and lane give the same noise under every
// driver. Not safe for concurrent use.
type Simulated struct {
	seed   uint64
	stream step.Stream
	drawn  [32]float64
}

// NewSimulated returns a simulated source.
func NewSimulated(seed uint64) *Simulated { return &Simulated{seed: seed} }

// Add implements Source.
func (s *Simulated) Add(dst []float64, std float64, node step.NodeID, t step.Turn, lane step.Lane) {
	if std == 0 {
		return
	}
	s.stream.At(s.seed, node, t, lane, step.Noise)
	for len(dst) > 0 {
		drawn := s.drawn[:min(len(dst), len(s.drawn))]
		s.stream.Normals(drawn)
		sparse.Axpy(dst, -std, drawn)
		dst = dst[len(drawn):]
	}
}

// Simulated returns true.
func (*Simulated) Simulated() bool { return true }
