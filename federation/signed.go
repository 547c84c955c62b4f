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

// specPurpose is what participants sign a spec's hash for.
const specPurpose = "federation spec"

// Sign says with a participant's key that it takes part in the federation of this hash,
// which all else in the spec follows into: who takes part, with which key, address and
// rows, by which invitation, at which noise.
func Sign(key identity.Key, hash [32]byte) identity.Signature { return key.Sign(specPurpose, hash[:]) }

// Signed reports whether a participant has said so.
func Signed(by identity.Peer, hash [32]byte, s identity.Signature) bool {
	return by.Signed(specPurpose, hash[:], s)
}

// Unsigned returns the participants whose signatures the spec lacks. A signature that is
// not of this spec, by the key that stands in it, is an error.
func (f *Federation) Unsigned() (names []string, err error) { return Unsigned(f.Spec, f.Hash) }

// Unsigned returns the participants whose signatures the resolved spec of this hash lacks, as the
// method does.
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

// listedKey reads the key that a spec lists for a participant.
func listedKey(s *spec.Spec, name string) (peer identity.Peer, err error) {
	at := s.Number(name)
	if at < 0 {
		return peer, fault.New(fmt.Sprintf("no participant is called %q", name), "the spec lists "+strings.Join(names(s), ", "))
	}
	if peer, err = identity.ParsePeer(s.Participants[at].Key); err != nil {
		return peer, fault.Wrap(err, fmt.Sprintf("participants: %s: key", name), fault.Hint(err))
	}
	return peer, nil
}

// checkSigned refuses a spec that must be signed by everybody, and is not.
func (f *Federation) checkSigned() error {
	missing, err := f.Unsigned()
	if err != nil || len(missing) == 0 || !f.Spec.MustBeSigned() {
		return err
	}
	return fault.New(fmt.Sprintf("the spec is not signed by %s, and nodes of it start when all have signed", enumerate(missing)),
		"each signs with hearsay federation sign, and sends what it has signed to the others")
}

// enumerate lists names, of many the first few.
func enumerate(names []string) string {
	const most = 8
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}
