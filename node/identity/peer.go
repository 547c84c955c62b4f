package identity

import (
	"bytes"
	"crypto/ed25519"

	"filippo.io/edwards25519"

	"github.com/hearsay-dp/hearsay/fault"

	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/peer"
)

// Peer is a participant's public key. It is comparable, and encodes itself as text in YAML and JSON. The zero Peer
// is nobody.
type Peer struct {
	key [ed25519.PublicKeySize]byte
}

const hintPeer = `a peer id starts with "12D3KooW" and has 52 characters; hearsay keys prints it`

// ParsePeer parses the text that String writes. It refuses ids of other kinds of key, and a second spelling of the
// same key.
func ParsePeer(text string) (Peer, error) {
	id, err := peer.Decode(text)
	if err != nil {
		return Peer{}, fault.Wrap(err, quoted(text)+" is not a peer id", hintPeer)
	}
	p, err := PeerOf(id)
	if err != nil {
		return Peer{}, err
	}
	if p.String() != text {
		return Peer{}, fault.New(quoted(text)+" is not the usual spelling of peer id "+p.String(), "write the latter")
	}
	return p, nil
}

// PeerOf returns the peer with a libp2p id.
func PeerOf(id peer.ID) (Peer, error) {
	key, err := id.ExtractPublicKey()
	if err != nil {
		return Peer{}, fault.Wrap(err, quoted(id.String())+" contains no public key", hintPeer)
	}
	raw, err := key.Raw()
	if err != nil || key.Type() != crypto.Ed25519 || len(raw) != ed25519.PublicKeySize {
		return Peer{}, fault.New(quoted(id.String())+" is not of an ed25519 key", hintPeer)
	}
	if why := weak(raw); why != "" {
		return Peer{}, fault.New(quoted(id.String())+" "+why, "ask for a key that hearsay keys made")
	}
	return Peer{[ed25519.PublicKeySize]byte(raw)}, nil
}

// weak describes why 32 bytes are no valid public key, "" if they are one. It refuses bytes that are no point of
// the curve or a second spelling of one. It also refuses points of small order, because one signature by them is
// valid for many messages.
func weak(raw []byte) string {
	point, err := new(edwards25519.Point).SetBytes(raw)
	switch {
	case err != nil:
		return "is no point of the curve, so that nothing can be signed by it"
	case !bytes.Equal(point.Bytes(), raw):
		return "is a second spelling of another key"
	case new(edwards25519.Point).MultByCofactor(point).Equal(edwards25519.NewIdentityPoint()) == 1:
		return "is a key of small order: signatures by it can be made by anybody"
	}
	return ""
}

// quoted returns text in quotes, cut to 60 bytes.
func quoted(text string) string {
	const most = 60
	if len(text) > most {
		text = text[:most] + "..."
	}
	return `"` + text + `"`
}

// ID returns p's libp2p id.
func (p Peer) ID() peer.ID {
	key, err := crypto.UnmarshalEd25519PublicKey(p.key[:])
	if err != nil {
		panic("identity: " + err.Error()) // 32 bytes are always taken
	}
	id, err := peer.IDFromPublicKey(key)
	if err != nil {
		panic("identity: " + err.Error())
	}
	return id
}

// PublicKey returns p as the key type of the standard library.
func (p Peer) PublicKey() ed25519.PublicKey { return p.key[:] }

// String returns p's peer id.
func (p Peer) String() string { return p.ID().String() }

// MarshalText returns the text of String.
func (p Peer) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText sets p by ParsePeer.
func (p *Peer) UnmarshalText(text []byte) (err error) {
	*p, err = ParsePeer(string(text))
	return err
}
