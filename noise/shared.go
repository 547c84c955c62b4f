package noise

import (
	"slices"

	"github.com/hearsay-dp/hearsay/step"
)

// Shared is noise that two partners draw together without communication. One of them adds what the other
// subtracts.
type Shared interface {
	// AddShared adds to dst the noise that node shares with peer, a Gaussian of standard deviation std, for
	// node's release of a lane at turn t. For peer and node exchanged it adds the same with the other sign.
	// Each (node, peer, turn, lane) must be used once.
	AddShared(dst []float64, std float64, node, peer step.NodeID, t step.Turn, lane step.Lane)
	// Simulated reports whether the noise can be predicted from a seed.
	Simulated() bool
}

// Agreed is Shared noise that needs a key agreement before the first value: each of two nodes shows numbers to
// the other, as real nodes do.
type Agreed interface {
	Shared
	// Shown returns the numbers to show to every neighbour, always the same: ShownSize finite numbers.
	Shown() []float64
	// Agree takes the numbers that a neighbour has shown and reports whether they give noise. Only the first
	// numbers of a neighbour count.
	Agree(peer step.NodeID, shown []float64) bool
	// Knows reports whether a neighbour has shown numbers that give noise.
	Knows(peer step.NodeID) bool
	// Again sets dst to the noise that the last AddShared with peer in a lane has added, for node's release at turn t. It is
	// shown to everybody if peer's release of the turn does not count.
	Again(dst []float64, std float64, node, peer step.NodeID, t step.Turn, lane step.Lane)
	// State returns the state for Restore after a restart: finite numbers, secrets among them, at most
	// StateSize of the number of partners.
	State() []float64
	Restore(state []float64) error
	// Forget ends the noise. No state contains a secret afterwards.
	Forget()
}

// Introduced is Agreed noise of partners who need not be neighbours. Other nodes relay the shown numbers and
// cannot change them.
type Introduced interface {
	Agreed
	// Signed returns a statement of ShownSize numbers with this node's signature for a purpose in this run:
	// SignedSize finite numbers, always the same.
	Signed(purpose string, statement []float64) []float64
	// Vouched reports whether signed is the result of node's Signed for the purpose.
	Vouched(purpose string, node step.NodeID, signed []float64) bool
	// Digest returns a collision-resistant digest of statements, of the size of one statement.
	Digest(statements [][]float64) []float64
}

// ShownSize is the number of numbers that an Agreed shows, SignedSize their number with a signature.
const (
	ShownSize  = 16
	SignedSize = 3 * ShownSize
)

// StateSize returns the largest number of numbers in the state of an Agreed.
func StateSize(partners int) int { return ShownSize + (ShownSize+2)*partners }

// Cancelling is a Source that adds the noise of Own, and Ratio times as much noise that the node shares with
// each of its partners.
type Cancelling struct {
	Own        Source
	Shared     Shared
	Ratio      float64
	Neighbours func(node step.NodeID) []int32 // ascending; the node itself is ignored
	Missing    []step.NodeID                  // partners with whom nothing is shared now
}

// Add implements Source.
func (c *Cancelling) Add(dst []float64, std float64, node step.NodeID, t step.Turn, lane step.Lane) {
	c.Own.Add(dst, std, node, t, lane)
	for _, peer := range c.Neighbours(node) {
		if step.NodeID(peer) != node && !slices.Contains(c.Missing, step.NodeID(peer)) {
			c.Shared.AddShared(dst, c.Ratio*std, node, step.NodeID(peer), t, lane)
		}
	}
}

// Simulated reports whether either noise can be predicted from a seed.
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
		dst[i] += float64(std * step.Normal(r))
	}
}
