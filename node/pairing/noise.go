package pairing

import (
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"

	"github.com/hearsay-dp/hearsay/node/identity"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/noise/discrete"
	"github.com/hearsay-dp/hearsay/step"
)

// Noise is the noise that one participant shares with its neighbours in one run. It is not safe for concurrent
// use.
type Noise struct {
	spec  [32]byte // hash of the resolved specification
	self  step.NodeID
	epoch uint64
	key   Key
	peers map[step.NodeID]*peer
	room  []float64

	identity identity.Key    // see Identify
	everyone []identity.Peer // by number
}

// A peer is a neighbour that has shown its key.
type peer struct {
	public [PublicSize]byte
	secret []byte
	next   map[step.Lane]step.Turn // first turn without a draw
}

// New returns the noise of node self in a run of the specification with hash spec. It creates a key from random,
// which must be a secret source (crypto/rand.Reader). epoch gives a run that was given up and begun again with the
// same keys other noise.
func New(random io.Reader, spec [32]byte, epoch uint64, self step.NodeID) (*Noise, error) {
	key, err := Generate(random)
	return with(key, spec, epoch, self), err
}

func with(key Key, spec [32]byte, epoch uint64, self step.NodeID) *Noise {
	return &Noise{spec: spec, self: self, epoch: epoch, key: key, peers: map[step.NodeID]*peer{}}
}

// Shown implements noise.Agreed. It returns the public half of the key.
func (n *Noise) Shown() []float64 {
	public := n.key.Public()
	return numbers(nil, public[:])
}

// Agree implements noise.Agreed. It refuses numbers that are no key, this node's own key, and keys on which no
// secret can be agreed.
func (n *Noise) Agree(from step.NodeID, shown []float64) bool {
	if n.Knows(from) {
		return true
	}
	public, ok := bytesOf(shown)
	return ok && n.meet(from, public) == nil
}

// meet derives and stores the secret shared with the neighbour that has a public key.
func (n *Noise) meet(from step.NodeID, public [PublicSize]byte) error {
	secret, err := n.key.secret(edge{n.spec, n.self, from, public})
	if err == nil {
		n.peers[from] = &peer{public, secret, map[step.Lane]step.Turn{}}
	}
	return err
}

// Knows implements noise.Agreed.
func (n *Noise) Knows(from step.NodeID) bool { return n.peers[from] != nil }

// AddShared implements noise.Shared on the grid for std (discrete.NewGrid). It panics for a neighbour without an
// agreed key, and for a turn that is not later than the last one of the neighbour and lane.
func (n *Noise) AddShared(dst []float64, std float64, node, with step.NodeID, t step.Turn, lane step.Lane) {
	p := n.peers[with]
	if node != n.self || p == nil {
		panic(fmt.Sprintf("pairing: node %d shares no noise with %d here", node, with))
	}
	if t < p.next[lane] {
		panic(fmt.Sprintf("pairing: the noise of turn %d with node %d is drawn twice, or after that of turn %d", t, with, p.next[lane]-1))
	}
	p.next[lane] = t + 1
	n.draw(dst, std, with, t, lane)
}

// Again implements noise.Agreed. It panics for a turn that is not the last one of the neighbour and lane.
func (n *Noise) Again(dst []float64, std float64, node, with step.NodeID, t step.Turn, lane step.Lane) {
	p := n.peers[with]
	if node != n.self || p == nil || p.next[lane] != t+1 {
		panic(fmt.Sprintf("pairing: node %d has not just drawn noise of turn %d with node %d", node, t, with))
	}
	clear(dst)
	n.draw(dst, std, with, t, lane)
}

// draw adds the noise of a turn and lane with a neighbour to dst.
func (n *Noise) draw(dst []float64, std float64, with step.NodeID, t step.Turn, lane step.Lane) {
	if std == 0 {
		return
	}
	n.room = append(n.room[:0], make([]float64, len(dst))...)
	discrete.NewSampler(n.stream(n.peers[with].secret, t, lane)).Draw(n.room, std)
	sign := 1.0
	if n.self > with {
		sign = -1
	}
	for i, x := range n.room {
		dst[i] += float64(sign * x)
	}
	clear(n.room)
}

// stream returns the random stream of one turn and lane.
func (n *Noise) stream(secret []byte, t step.Turn, lane step.Lane) *rand.ChaCha8 {
	info := []byte("hearsay stream of an edge 1\x00")
	for _, x := range []uint64{n.epoch, uint64(t), uint64(lane)} {
		info = binary.BigEndian.AppendUint64(info, x)
	}
	seed, err := hkdf.Expand(sha256.New, secret, string(info), 32)
	if err != nil {
		panic("pairing: " + err.Error()) // 32 bytes are never too many
	}
	return rand.NewChaCha8([32]byte(seed))
}

// Simulated returns false.
func (*Noise) Simulated() bool { return false }

var _ noise.Agreed = (*Noise)(nil)
