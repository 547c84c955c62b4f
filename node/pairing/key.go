package pairing

import (
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/step"
)

// PublicSize is the length of the public half of a key.
const PublicSize = 32

// A Key is a participant's secret of one run. Its text form is redacted.
type Key struct{ private *ecdh.PrivateKey }

// Generate creates a key from 32 bytes of random, which must be a secret source (crypto/rand.Reader).
func Generate(random io.Reader) (Key, error) {
	var secret [32]byte
	if _, err := io.ReadFull(random, secret[:]); err != nil {
		return Key{}, fault.Wrap(err, "no randomness for the key of a run", "the system's random source must be readable")
	}
	return FromSecret(secret), nil
}

// FromSecret returns the key with the given secret half, such as one that was kept over a restart.
func FromSecret(secret [32]byte) Key {
	private, err := ecdh.X25519().NewPrivateKey(secret[:])
	if err != nil {
		panic("pairing: " + err.Error()) // 32 bytes are always taken
	}
	return Key{private}
}

// Public returns the public half, which neighbours are shown.
func (k Key) Public() (public [PublicSize]byte) {
	copy(public[:], k.private.PublicKey().Bytes())
	return public
}

// String returns a redacted text.
func (k Key) String() string { return "secret key of a run" }

// GoString returns a redacted text.
func (k Key) GoString() string { return "pairing.Key{secret}" }

// An edge joins a participant with a neighbour in one run.
type edge struct {
	spec       [32]byte // hash of the resolved specification
	self, peer step.NodeID
	public     [PublicSize]byte // the neighbour's
}

// secret returns the shared secret of an edge, which only its two ends know. It refuses public keys on which no
// secret can be agreed, and this node's own.
func (k Key) secret(e edge) (secret []byte, err error) {
	own := k.Public()
	if e.public == own {
		return nil, fault.New(fmt.Sprintf("node %d shows this node's own key of the run", e.peer), "it must make one itself")
	}
	theirs, err := ecdh.X25519().NewPublicKey(e.public[:])
	if err != nil {
		panic("pairing: " + err.Error()) // 32 bytes are always taken
	}
	agreed, err := k.private.ECDH(theirs)
	if err != nil {
		return nil, fault.Wrap(err, fmt.Sprintf("node %d shows a key on which no secret can be agreed", e.peer), "ask its operator what it runs")
	}
	extracted, err := hkdf.Extract(sha256.New, agreed, e.spec[:])
	if err != nil {
		return nil, err
	}
	info := append([]byte("hearsay noise of an edge 1\x00"), e.ends(own)...)
	return hkdf.Expand(sha256.New, extracted, string(info), 32)
}

// ends returns the numbers and public keys of both ends, the lower number first.
func (e edge) ends(own [PublicSize]byte) []byte {
	low, high := append(number(e.self), own[:]...), append(number(e.peer), e.public[:]...)
	if e.self > e.peer {
		low, high = high, low
	}
	return append(low, high...)
}

func number(v step.NodeID) []byte { return binary.BigEndian.AppendUint32(nil, uint32(v)) }
