package identity

import (
	"crypto/ed25519"
	"encoding/base64"

	"github.com/hearsay-dp/hearsay/fault"
)

// A Signature shows that who holds a key said something for a purpose. It reads and
// writes itself as base64.
type Signature [ed25519.SignatureSize]byte

// signed is what is signed: a purpose that no other use of the key begins with, a zero
// byte, and what is said. libp2p signs texts that begin with noise-libp2p- and libp2p-.
func signed(purpose string, message []byte) []byte {
	return append([]byte("hearsay signature 1: "+purpose+"\x00"), message...)
}

// Sign says message for a purpose. A signature for one purpose is none for another;
// purposes hold no zero byte.
func (k Key) Sign(purpose string, message []byte) Signature {
	return Signature(ed25519.Sign(k.private, signed(purpose, message)))
}

// Signed reports whether who holds p's key said message for a purpose.
func (p Peer) Signed(purpose string, message []byte, s Signature) bool {
	return ed25519.Verify(p.key[:], signed(purpose, message), s[:])
}

// encoding has one text for each signature.
var encoding = base64.StdEncoding.Strict()

// String is s in base64.
func (s Signature) String() string { return encoding.EncodeToString(s[:]) }

// MarshalText is String.
func (s Signature) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText writes, and nothing else.
func (s *Signature) UnmarshalText(text []byte) error {
	if len(text) != encoding.EncodedLen(len(s)) {
		return fault.New(quoted(string(text))+" is not a signature", "a signature is 88 characters of base64, as Hearsay writes it")
	}
	raw := make([]byte, encoding.DecodedLen(len(text)))
	if n, err := encoding.Decode(raw, text); err != nil || n != len(s) {
		return fault.New(quoted(string(text))+" is not a signature", "a signature is 88 characters of base64, as Hearsay writes it")
	}
	copy(s[:], raw)
	return nil
}
