package identity

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"io"

	"github.com/hearsay-dp/hearsay/fault"

	"github.com/libp2p/go-libp2p/core/crypto"
)

// Key is a participant's secret key. Whoever holds it can act as that participant. The zero Key must not be used.
// Its text form is redacted, so that a log cannot leak it.
type Key struct {
	private ed25519.PrivateKey
}

// Generate creates a key from 32 bytes of random, which must be a secret source (crypto/rand.Reader).
func Generate(random io.Reader) (Key, error) {
	seed := make([]byte, ed25519.SeedSize)
	if _, err := io.ReadFull(random, seed); err != nil {
		return Key{}, fault.Wrap(err, "no randomness for a new key", "the system's random source must be readable")
	}
	return Key{ed25519.NewKeyFromSeed(seed)}, nil
}

// Nobody returns a public key in place of one that is not known, for specs that are rehearsed. It follows from the name, and
// is never to be trusted: anybody can make its secret key.
func Nobody(name string) Peer {
	seed := sha256.Sum256([]byte("hearsay, in place of the key of " + name))
	return Key{ed25519.NewKeyFromSeed(seed[:])}.Peer()
}

// Peer returns the public key of k.
func (k Key) Peer() Peer {
	return Peer{key: [ed25519.PublicKeySize]byte(k.private.Public().(ed25519.PublicKey))}
}

// Derive returns a secret for one purpose by HMAC-SHA256. It is deterministic. Neither the key nor a secret for
// another purpose can be derived from it.
func (k Key) Derive(purpose string) (secret [32]byte) {
	h := hmac.New(sha256.New, k.private.Seed())
	h.Write([]byte("hearsay key derivation 1\x00" + purpose))
	copy(secret[:], h.Sum(nil))
	return secret
}

// Libp2p returns k as libp2p's key type. It panics for the zero Key.
func (k Key) Libp2p() crypto.PrivKey {
	key, err := crypto.UnmarshalEd25519PrivateKey(k.private)
	if err != nil {
		panic("identity: zero Key: " + err.Error())
	}
	return key
}

// String returns a redacted text.
func (k Key) String() string { return "secret key" }

// GoString returns a redacted text.
func (k Key) GoString() string { return "identity.Key{secret}" }
