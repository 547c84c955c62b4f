package federation

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/node/identity"
	"github.com/hearsay-dp/hearsay/spec"
)

// specPurpose is the purpose under which participants sign a spec's hash.
const specPurpose = "federation spec"

// Sign signs, with a participant's key, that it takes part in the federation with this hash. The
// hash covers everything else in the spec: participants, keys, addresses, rows, invitation and
// noise.
func Sign(key identity.Key, hash [32]byte) identity.Signature { return key.Sign(specPurpose, hash[:]) }

// Signed reports whether s is such a signature by the given key.
func Signed(by identity.Peer, hash [32]byte, s identity.Signature) bool {
	return by.Signed(specPurpose, hash[:], s)
}

// Unsigned returns the participants whose signatures the spec lacks. It is an error if a signature
// does not belong to this spec and to the key that the spec lists.
func (f *Federation) Unsigned() (names []string, err error) { return Unsigned(f.Spec, f.Hash) }

// Unsigned returns the participants whose signatures the resolved spec of this hash lacks. Errors
// are those of the method.
func Unsigned(of *spec.Spec, hash [32]byte) (names []string, err error) {
	for _, name := range slices.Sorted(maps.Keys(of.Signatures)) {
		var s identity.Signature
		if err := s.UnmarshalText([]byte(of.Signatures[name])); err != nil {
			return nil, fault.Wrap(err, "signatures: "+name, fault.Hint(err))
		}
		peer, err := listedKey(of, name)
		if err != nil {
			return nil, err
		}
		if !Signed(peer, hash, s) {
			return nil, fault.New(fmt.Sprintf("signatures: what stands for %s is not its signature of this spec: something was changed after it had signed", name),
				"do not start with it; hearsay federation status says who has signed what")
		}
	}
	for _, p := range of.Participants {
		if _, signed := of.Signatures[p.Name]; !signed {
			names = append(names, p.Name)
		}
	}
	return names, nil
}

// listedKey parses the key that a spec lists for a participant.
func listedKey(s *spec.Spec, name string) (peer identity.Peer, err error) {
	at := s.Number(name)
	if at < 0 {
		return peer, s.NoParticipant(name)
	}
	if peer, err = identity.ParsePeer(s.Participants[at].Key); err != nil {
		return peer, fault.Wrap(err, fmt.Sprintf("participants: %s: key", name), fault.Hint(err))
	}
	return peer, nil
}

// checkSigned returns an error if everybody must sign the spec and a signature is missing.
func (f *Federation) checkSigned() error {
	missing, err := f.Unsigned()
	if err != nil || len(missing) == 0 || !f.Spec.MustBeSigned() {
		return err
	}
	return fault.New(fmt.Sprintf("the spec is not signed by %s, and nodes of it start when all have signed", enumerate(missing)),
		"each signs with hearsay federation sign, and sends what it has signed to the others")
}

// enumerate joins names with commas. Beyond eight names it gives their number only.
func enumerate(names []string) string {
	const most = 8
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}
