package experiment

import (
	"context"
	"math"

	"github.com/hearsay-dp/hearsay/algo/descent"
)

// A family is what differs between the algorithms: the walk with the baselines
// that run as one, and gossip. All else about an experiment is the same.
type family interface {
	// setUp makes the protocol, but for the noise multiplier.
	setUp() error
	// account finds the noise and prices every pair.
	account(ctx context.Context) (Accounting, error)
	// trial runs once, shows r the model after every step, and returns the last.
	trial(ctx context.Context, seed uint64, r *recorder) ([]float64, error)
	utility() Utility
	cost() Cost
	// notes are what a reader must know before believing the result.
	notes() []string
}

func (s *Setup) family() family {
	if s.Spec.Algorithm.IsGossip() {
		return gossipFamily{s}
	}
	return walkFamily{s}
}

// Local is the step that a node takes on its own data; Noise is in it.
func (s *Setup) Local() *descent.Local {
	if s.Gossip != nil {
		return &s.Gossip.Local
	}
	return &s.Protocol.Local
}

// noiseNorm is the root mean squared norm of the noise of one step.
func (s *Setup) noiseNorm() float64 {
	return s.Local().Noise.Std() * math.Sqrt(float64(s.Local().Params))
}

// cap is the most contributions of one node.
func (s *Setup) cap() int {
	if s.Gossip != nil {
		return s.Gossip.Contributions()
	}
	return s.Protocol.Cap
}
