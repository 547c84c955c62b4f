package spec

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
)

// SignedRequired is the value of federation.signed with which no node starts before
// all participants have signed.
const SignedRequired = "required"

// MustBeSigned reports whether nodes start with everybody's signature only: where the
// spec says so, and where anybody has signed.
func (s *Spec) MustBeSigned() bool {
	return len(s.Signatures) > 0 || s.Federation != nil && s.Federation.Signed == SignedRequired
}

// invitationForm matches SHA-256 in hexadecimal.
var invitationForm = regexp.MustCompile(`^[0-9a-f]{64}$`)

func (f *Federation) checkSigned() error {
	if f.Signed != "" && f.Signed != SignedRequired {
		return invalid(fmt.Sprintf("federation.signed: %q is not known", f.Signed), "use required, or leave it out")
	}
	if f.Invitation == "" {
		return nil
	}
	if !invitationForm.MatchString(f.Invitation) {
		return invalid("federation.invitation: is not the id of an invitation", "hearsay federation writes it: 64 hexadecimal digits")
	}
	if f.Signed != SignedRequired {
		return invalid("federation.invitation: is given, but signatures are not required", "a federation that was assembled by hearsay federation has signed: required")
	}
	return nil
}

// checkSignatures refuses signatures under names that no participant has. Callers that know the hash
// verify the signatures themselves.
func (s *Spec) checkSignatures() error {
	for _, name := range slices.Sorted(maps.Keys(s.Signatures)) {
		if s.Number(name) < 0 {
			return invalid(fmt.Sprintf("signatures: %.70q is no participant", name), "leave its signature out, or list it under participants")
		}
	}
	return nil
}
