package identity

import (
	"crypto/ed25519"
	"encoding/base64"

	"github.com/hearsay-dp/hearsay/fault"
)

// A Signature proves that the holder of a key signed a message for a purpose. It encodes itself as base64.
type Signature [ed25519.SignatureSize]byte

// signed returns the signed bytes: a prefix that no other use of the key begins with, the purpose, a zero byte,
// and the message. libp2p signs texts that begin with noise-libp2p- and libp2p-.
func signed(purpose string, message []byte) []byte {
	return append([]byte("hearsay signature 1: "+purpose+"\x00"), message...)
}

// Sign signs message for a purpose. A signature for one purpose is not valid for another. purpose must hold no
// zero byte.
func (k Key) Sign(purpose string, message []byte) Signature {
	return Signature(ed25519.Sign(k.private, signed(purpose, message)))
}

// Signed reports whether s is a signature by p's key of message for purpose.
func (p Peer) Signed(purpose string, message []byte, s Signature) bool {
	return ed25519.Verify(p.key[:], signed(purpose, message), s[:])
}

// encoding has exactly one text for each signature.
var encoding = base64.StdEncoding.Strict()

// String returns s in base64.
func (s Signature) String() string { return encoding.EncodeToString(s[:]) }

// MarshalText returns the text of String.
func (s Signature) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText parses the text of MarshalText, and no other spelling.
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
