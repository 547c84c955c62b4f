package pairing

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/hearsay-dp/hearsay/node/identity"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/step"
)

// Identify sets the participant's identity key and the public keys of all participants, by number. It is needed in
// runs in which nodes that are not neighbours share secrets.
func (n *Noise) Identify(key identity.Key, everyone []identity.Peer) {
	n.identity, n.everyone = key, everyone
}

// said returns the signed message: the run, the signer's number and the statement.
func (n *Noise) said(by step.NodeID, statement [PublicSize]byte) []byte {
	message := binary.BigEndian.AppendUint64(n.spec[:len(n.spec):len(n.spec)], n.epoch)
	return append(append(message, number(by)...), statement[:]...)
}

// Signed implements noise.Introduced.
func (n *Noise) Signed(purpose string, statement []float64) []float64 {
	bytes, ok := bytesOf(statement)
	if !ok {
		panic("pairing: a statement that is none")
	}
	signature := n.identity.Sign(purpose, n.said(n.self, bytes))
	return numbers(append(make([]float64, 0, noise.SignedSize), statement...), signature[:])
}

// Vouched implements noise.Introduced.
func (n *Noise) Vouched(purpose string, node step.NodeID, signed []float64) bool {
	if len(signed) != noise.SignedSize || node < 0 || int(node) >= len(n.everyone) {
		return false
	}
	statement, ok := bytesOf(signed[:noise.ShownSize])
	low, okLow := bytesOf(signed[noise.ShownSize : 2*noise.ShownSize])
	high, okHigh := bytesOf(signed[2*noise.ShownSize:])
	return ok && okLow && okHigh && n.everyone[node].Signed(purpose, n.said(node, statement), identity.Signature(append(low[:], high[:]...)))
}

// Digest implements noise.Introduced.
func (n *Noise) Digest(statements [][]float64) []float64 {
	hash := sha256.New()
	for _, s := range statements {
		bytes, ok := bytesOf(s)
		if !ok {
			panic("pairing: a statement that is none")
		}
		hash.Write(bytes[:])
	}
	return numbers(nil, hash.Sum(nil))
}

var _ noise.Introduced = (*Noise)(nil)
