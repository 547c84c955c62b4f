package assembly

import (
	"fmt"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/federation"
	"github.com/hearsay-dp/hearsay/node/identity"
)

const signaturePurpose = "federation signature"

// A Signature states that a participant takes part in one spec.
type Signature struct {
	Federation ID                 `json:"federation"`
	Name       string             `json:"name"`
	Round      int                `json:"round"` // sum of the serials of the acceptances in the spec
	Spec       ID                 `json:"spec"`  // hash of the spec
	Of         identity.Signature `json:"of"`    // signature of that hash
}

// Sign signs the spec of this hash for a participant that has accepted, and adds the signature.
func (g *Gathering) Sign(key identity.Key, name string, hash [32]byte) error {
	own := g.Accepted(name)
	switch {
	case own == nil:
		return fault.New(name+" has not accepted", "hearsay federation accept comes first")
	case own.Key != key.Peer():
		return fault.New(fmt.Sprintf("the key is that of %s, and %s has accepted with %s", key.Peer(), name, own.Key), "give the key that it has accepted with")
	}
	s := Signature{Federation: g.ID, Name: name, Round: g.round(), Spec: hash, Of: federation.Sign(key, hash)}
	return g.add([]block{{signature, seal(key, signaturePurpose, s)}}, nil)
}

// readSignature decodes and checks the signature of a participant that has accepted. payload may
// come from anybody.
func (g *Gathering) readSignature(payload []byte) (*Signature, error) {
	var s signed[Signature]
	if err := decode(payload, &s); err != nil {
		return nil, broken(signature, err.Error())
	}
	by := s.Body
	what := fmt.Sprintf("the signature of %.70q", by.Name)
	own := g.Accepted(by.Name)
	switch {
	case by.Federation != g.ID:
		return nil, fault.Wrap(elsewhere(by.Federation), what, fault.Hint(elsewhere(by.Federation)))
	case !g.invited(by.Name):
		return nil, fault.New(what+": nobody of that name was invited", "those are "+strings.Join(g.Invitation.Names, ", "))
	case own == nil:
		return nil, fault.New(what+" came without its acceptance", "add the acceptance too; the federation.txt of whoever sent it holds both")
	case !own.Key.Signed(signaturePurpose, encode(by), s.Signature) || !federation.Signed(own.Key, by.Spec, by.Of):
		return nil, fault.New(what+" is not by the key that it has accepted with", "ask it, on the telephone, for its key (hearsay keys show), and for its messages again")
	}
	return &by, nil
}
