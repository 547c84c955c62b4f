package noise

import "github.com/hearsay-dp/hearsay/step"

// Shared is noise that two partners draw together, each without asking the other:
// what one of them adds the other subtracts.
type Shared interface {
	// AddShared adds to dst what node adds on account of peer, a Gaussian of standard
	// deviation std, for what it releases of a lane at turn t. Peer, asked about node,
	// adds the same with the other sign. A (node, peer, turn, lane) is asked for once.
	AddShared(dst []float64, std float64, node, peer step.NodeID, t step.Turn, lane step.Lane)
	// Simulated reports whether the noise can be predicted from a seed.
	Simulated() bool
}

// Agreed is Shared noise on which two ends must agree before the first value, each by
// showing something to the other, as real nodes do.
type Agreed interface {
	Shared
	// Shown is what every neighbour is to be shown, the same whenever it is asked for:
	// ShownSize finite numbers.
	Shown() []float64
	// Agree takes what a neighbour has shown and reports whether noise can come of it; what
	// one has shown first holds.
	Agree(peer step.NodeID, shown []float64) bool
	// Knows reports whether a neighbour has shown something of which noise can come.
	Knows(peer step.NodeID) bool
	// State is what Restore takes over a restart, finite numbers, secrets among them; at most
	// StateSize of so many partners.
	State() []float64
	Restore(state []float64) error
	// Forget ends the noise: no state holds a secret afterwards.
	Forget()
}

// Introduced is Agreed noise of partners who need not be neighbours: others carry what one shows, and cannot change it.
type Introduced interface {
	Agreed
	// Signed is a statement of ShownSize numbers with this node's signature for a purpose in this run: SignedSize
	// finite numbers, the same whenever it is asked for.
	Signed(purpose string, statement []float64) []float64
	// Vouched reports whether a node has signed what Signed makes.
	Vouched(purpose string, node step.NodeID, signed []float64) bool
	// Digest is a statement of the same size that no other statements have.
	Digest(statements [][]float64) []float64
}

// ShownSize is how many numbers an Agreed shows, SignedSize how many they are with a signature.
const (
	ShownSize  = 16
	SignedSize = 3 * ShownSize
)

// StateSize is how many numbers the state of an Agreed has at most.
func StateSize(partners int) int { return ShownSize + (ShownSize+2)*partners }

// Cancelling is a Source that adds, besides the noise of Own, what a node shares with each
// of its partners, Ratio times as large.
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
		dst[i] += float64(std * step.Normal(r))
	}
}
