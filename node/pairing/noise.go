package pairing

import (
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/noise/discrete"
	"github.com/hearsay-dp/hearsay/step"
)

// Noise is what one participant shares with its neighbours in one run. Not safe
// for concurrent use.
type Noise struct {
	self    step.NodeID
	epoch   uint64
	secrets map[step.NodeID][]byte
	last    map[use]step.Turn
	room    []float64
}

// A use is what turns are counted for.
type use struct {
	peer step.NodeID
	lane step.Lane
}

// New derives the noise of self's edges in a run of the specification of that
// hash, from its key of the run and those that its neighbours showed. epoch
// separates what is drawn after a run was given up and begun again between the same keys.
func New(key Key, spec [32]byte, epoch uint64, self step.NodeID, shown map[step.NodeID][PublicSize]byte) (*Noise, error) {
	n := &Noise{self: self, epoch: epoch, secrets: map[step.NodeID][]byte{}, last: map[use]step.Turn{}}
	for peer, public := range shown {
		secret, err := key.secret(edge{spec, self, peer, public})
		if err != nil {
			return nil, err
		}
		n.secrets[peer] = secret
	}
	return n, nil
}

// AddShared implements noise.Shared on the grid for std (discrete.NewGrid). It
// panics if it is asked about a stranger, or for a turn that is not later than the
// last one of the neighbour and lane.
func (n *Noise) AddShared(dst []float64, std float64, node, peer step.NodeID, t step.Turn, lane step.Lane) {
	secret, known := n.secrets[peer]
	if node != n.self || !known {
		panic(fmt.Sprintf("pairing: node %d shares no noise with %d here", node, peer))
	}
	if last, used := n.last[use{peer, lane}]; used && t <= last {
		panic(fmt.Sprintf("pairing: the noise of turn %d with node %d is drawn twice, or after that of turn %d", t, peer, last))
	}
	n.last[use{peer, lane}] = t
	if std == 0 {
		return
	}
	n.room = append(n.room[:0], make([]float64, len(dst))...)
	discrete.NewSampler(n.stream(secret, t, lane)).Draw(n.room, std)
	sign := 1.0
	if node > peer {
		sign = -1
	}
	for i, x := range n.room {
		dst[i] += sign * x
	}
	clear(n.room)
}

// stream is that of one turn and lane.
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

// Simulated is false.
func (*Noise) Simulated() bool { return false }

var _ noise.Shared = (*Noise)(nil)
