package pairing

import (
	"errors"
	"maps"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/step"
)

// errState is the error of Restore for numbers that State did not write.
var errState = errors.New("the state of the noise that neighbours share is damaged")

// State implements noise.Agreed. It returns this node's key, then every neighbour's number, its first turn without
// a draw, and its key. There is one lane. It returns nil once the key was deleted.
func (n *Noise) State() []float64 {
	if n.key.private == nil {
		return nil
	}
	state := numbers(nil, n.key.private.Bytes())
	for _, from := range slices.Sorted(maps.Keys(n.peers)) {
		p := n.peers[from]
		state = numbers(append(state, float64(from), float64(p.next[0])), p.public[:])
	}
	return state
}

// Restore implements noise.Agreed.
func (n *Noise) Restore(state []float64) error {
	if len(state) == 0 {
		n.Forget()
		return nil
	}
	const each = noise.ShownSize + 2
	if len(state) < noise.ShownSize || (len(state)-noise.ShownSize)%each != 0 {
		return errState
	}
	secret, ok := bytesOf(state[:noise.ShownSize])
	if !ok {
		return errState
	}
	n.key, n.peers = FromSecret(secret), map[step.NodeID]*peer{}
	for entry := range slices.Chunk(state[noise.ShownSize:], each) {
		public, ok := bytesOf(entry[2:])
		from, next := entry[0], entry[1]
		if !ok || !whole(from, math.MaxInt32) || !whole(next, 1<<53) || n.Knows(step.NodeID(from)) || n.meet(step.NodeID(from), public) != nil {
			return errState
		}
		n.peers[step.NodeID(from)].next[0] = step.Turn(next)
	}
	return nil
}

// Forget implements noise.Agreed.
func (n *Noise) Forget() {
	for _, p := range n.peers {
		clear(p.secret)
	}
	n.key, n.peers = Key{}, map[step.NodeID]*peer{}
}

// numbers appends bytes, two per number.
func numbers(dst []float64, bytes []byte) []float64 {
	for i := 0; i < len(bytes); i += 2 {
		dst = append(dst, float64(uint(bytes[i])<<8|uint(bytes[i+1])))
	}
	return dst
}

// bytesOf decodes the bytes that numbers encoded, and reports whether they are valid.
func bytesOf(shown []float64) (bytes [PublicSize]byte, ok bool) {
	if len(shown) != noise.ShownSize {
		return bytes, false
	}
	for i, x := range shown {
		if !whole(x, 1<<16-1) {
			return bytes, false
		}
		bytes[2*i], bytes[2*i+1] = byte(uint(x)>>8), byte(uint(x))
	}
	return bytes, true
}

func whole(x, most float64) bool { return x >= 0 && x <= most && x == math.Trunc(x) }
