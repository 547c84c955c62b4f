package identity

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"io"

	"github.com/hearsay-dp/hearsay/fault"

	"github.com/libp2p/go-libp2p/core/crypto"
)

// Key is a participant's secret: who holds it is that participant. The zero
// Key is of no use. Its text form is redacted, so that a log cannot leak it.
type Key struct {
	private ed25519.PrivateKey
}

// Generate makes a key from 32 bytes of random, which must be a secret source
// (crypto/rand.Reader).
func Generate(random io.Reader) (Key, error) {
	seed := make([]byte, ed25519.SeedSize)
	if _, err := io.ReadFull(random, seed); err != nil {
		return Key{}, fault.Wrap(err, "no randomness for a new key", "the system's random source must be readable")
	}
	return Key{ed25519.NewKeyFromSeed(seed)}, nil
}

// Peer is the public side of k.
func (k Key) Peer() Peer {
	return Peer{key: [ed25519.PublicKeySize]byte(k.private.Public().(ed25519.PublicKey))}
}

// Derive is a secret for one purpose, the same whenever it is derived, from which
// neither the key nor a secret for another purpose can be found: HMAC-SHA256.
func (k Key) Derive(purpose string) (secret [32]byte) {
	h := hmac.New(sha256.New, k.private.Seed())
	h.Write([]byte("hearsay key derivation 1\x00" + purpose))
	copy(secret[:], h.Sum(nil))
	return secret
}

// Libp2p is k in the type that libp2p takes.
func (k Key) Libp2p() crypto.PrivKey {
	key, err := crypto.UnmarshalEd25519PrivateKey(k.private)
	if err != nil {
		panic("identity: zero Key: " + err.Error())
	}
	return key
}

// String hides the key.
func (k Key) String() string { return "secret key" }

// GoString hides the key.
func (k Key) GoString() string { return "identity.Key{secret}" }
